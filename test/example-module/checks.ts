import type { Check } from '../../src/core/checks/check.ts'
import type { InsideContext, ModuleChecks } from '../../src/core/checks/context.ts'
import { noteStore } from './store.ts'

const max = 3

const manyKeys: Check<InsideContext> = {
  id: 'note_keys',
  level: 'info',
  passMessage: 'no account has more than three keys of devices',
  why: {
    en: 'A key that its owner has forgotten writes notes.',
    de: 'Ein Schlüssel, den sein Besitzer vergessen hat, schreibt Notizen.',
  },
  mend: {
    do: {
      en: 'Set a new password for the account: its keys end.',
      de: 'Setzen Sie dem Konto ein neues Passwort: Seine Schlüssel enden.',
    },
  },
  async find({ db }) {
    const accounts = await noteStore(db).withKeysBeyond(max)
    return accounts.map((userId) => ({
      what: {
        en: `The user ${userId} has more than ${max} keys.`,
        de: `Die Person ${userId} hat mehr als ${max} Schlüssel.`,
      },
    }))
  },
}

export const checks: ModuleChecks = { inside: [manyKeys] }
