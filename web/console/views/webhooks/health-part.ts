import type { Language } from '../../../../src/core/lib/languages.ts'
import { plural } from '../../../languages/words.ts'
import { type HealthPart, lateSeconds } from '../overview/health.ts'

/** Whether webhooks take their messages. */
export const healthPart: HealthPart = {
  id: 'webhooks',
  order: 40,
  href: '/admin/webhooks',
  name: { en: 'Webhooks', de: 'Webhooks' },
  judge({ webhooks: state }, language, inWords) {
    if (!state) return null
    const t = words[language]
    const { disabled, enabled, failed, oldest_waiting_seconds: oldest } = state
    const failing = state.oldest_waiting_failing_seconds
    if (failed > 0) return { level: 'bad', text: t.failed(failed) }
    if (enabled + disabled === 0) return { level: 'off', text: t.off }
    if (failing > 0) return { level: 'warning', text: t.failing(inWords(failing)) }
    if (oldest > lateSeconds) return { level: 'warning', text: t.waiting(inWords(oldest)) }
    return { level: 'good', text: t.good(enabled) }
  },
}

const en = {
  off: 'There is none.',
  failed: plural('en', {
    one: '# was disabled, because it took nothing for three days.',
    other: '# were disabled, because they took nothing for three days.',
  }),
  failing: (time: string) => `One does not answer; its oldest message waits for ${time}.`,
  waiting: (time: string) => `The oldest message waits for ${time}.`,
  good: plural('en', { one: '# is served.', other: '# are served.' }),
}

const de: typeof en = {
  off: 'Es gibt keinen.',
  failed: plural('de', {
    one: '# wurde abgeschaltet, weil er drei Tage lang nichts annahm.',
    other: '# wurden abgeschaltet, weil sie drei Tage lang nichts annahmen.',
  }),
  failing: (time) => `Einer antwortet nicht; seine älteste Nachricht wartet seit ${time}.`,
  waiting: (time) => `Die älteste Nachricht wartet seit ${time}.`,
  good: plural('de', { one: '# wird bedient.', other: '# werden bedient.' }),
}

const words: Readonly<Record<Language, typeof en>> = { en, de }
