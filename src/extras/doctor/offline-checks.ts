import type { Check } from '../../core/checks/check.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { type Finding, findingOf } from './finding.ts'

/** No other check can run then. */
export const settingsRefused: Omit<Check<never>, 'find'> = {
  id: 'settings',
  level: 'error',
  passMessage: 'the service starts with these settings',
  why: {
    en: 'The next start fails with this mistake, also that of a restart at night.',
    de: 'Der nächste Start schlägt mit diesem Fehler fehl, auch der eines Neustarts in der Nacht.',
  },
  mend: {
    do: {
      en: 'Correct it: docs/configuration.md.',
      de: 'Berichtigen Sie ihn: docs/configuration.md.',
    },
    setting: `${gatehouse} config check`,
  },
}

export function refusedSettings(mistakes: readonly string[]): Finding[] {
  return mistakes.map((mistake) =>
    findingOf(settingsRefused, { what: { en: `${mistake}.`, de: `${mistake}.` } }),
  )
}
