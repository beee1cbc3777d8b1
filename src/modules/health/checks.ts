import type { Check } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks } from '../../core/checks/context.ts'
import { clockSetBack } from './clock-set-back.ts'

const setBack: Check<InsideContext> = {
  id: 'clock_set_back',
  level: 'error',
  passMessage: 'no key and no record of the audit log is of a later time than now',
  why: {
    en: 'After a clock was set back, what has expired is valid again, earlier tokens are refused, and the order of the audit log is in doubt.',
    de: 'Wurde eine Uhr zurückgestellt, gilt Abgelaufenes wieder, frühere Token werden abgelehnt, und die Reihenfolge des Protokolls ist zweifelhaft.',
  },
  mend: {
    do: {
      en: 'Set the clock right, by NTP. If the clock is right now, this ends when the clock has passed the named time.',
      de: 'Stellen Sie die Uhr richtig, per NTP. Geht die Uhr jetzt richtig, so endet das, sobald sie die genannte Zeit erreicht hat.',
    },
    setting: 'timedatectl set-ntp true',
  },
  async find({ clock, db }) {
    const what = await clockSetBack(db, clock)
    return what === null ? [] : [{ what }]
  },
}

export const checks: ModuleChecks = { inside: [setBack] }
