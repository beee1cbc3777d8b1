import type { Language } from '../../../../src/core/lib/languages.ts'
import { plural } from '../../../languages/words.ts'
import { type HealthPart, lateSeconds } from '../overview/health.ts'

/** Whether mail is sent. */
export const healthPart: HealthPart = {
  id: 'mail',
  order: 30,
  href: '/admin/mail',
  name: { en: 'Mail', de: 'E-Mail' },
  judge({ mail: state }, language, inWords) {
    if (!state) return null
    const t = words[language]
    const { enabled, failed, oldest_waiting_seconds: oldest, server, trouble, waiting } = state
    if (!enabled) return { level: 'off', text: t.off }
    if (!server) return { level: 'off', text: t.toFiles }
    if (trouble) return { level: 'bad', text: t.trouble(trouble.response) }
    if (oldest > lateSeconds) return { level: 'warning', text: t.waiting(waiting, inWords(oldest)) }
    const waits = waiting > 0 ? t.waiting(waiting, inWords(oldest)) : t.nothingWaits
    return { level: 'good', text: failed > 0 ? `${waits} ${t.failed(failed)}` : waits }
  },
}

const en = {
  off: 'The service sends no mail. Set SMTP_URL.',
  toFiles: 'Mail is written to files, and shown at /dev/mail. Set SMTP_URL.',
  trouble: (response: string) => `The mail server refuses all mail: ${response}`,
  failed: plural('en', {
    one: '# mail was refused for good.',
    other: '# mails were refused for good.',
  }),
  waiting: (count: number, time: string) => `${count} wait, the oldest for ${time}.`,
  nothingWaits: 'Nothing waits.',
}

const de: typeof en = {
  off: 'Der Dienst sendet keine E-Mail. Setzen Sie SMTP_URL.',
  toFiles:
    'E-Mails werden in Dateien geschrieben und unter /dev/mail gezeigt. Setzen Sie SMTP_URL.',
  trouble: (response) => `Der Mailserver lehnt alles ab: ${response}`,
  failed: plural('de', {
    one: '# E-Mail wurde endgültig abgelehnt.',
    other: '# E-Mails wurden endgültig abgelehnt.',
  }),
  waiting: (count, time) => `${count} warten, die älteste seit ${time}.`,
  nothingWaits: 'Es wartet nichts.',
}

const words: Readonly<Record<Language, typeof en>> = { en, de }
