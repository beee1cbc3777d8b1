import type { Check } from '../../src/core/checks/check.ts'
import type { InsideContext, ModuleChecks } from '../../src/core/checks/context.ts'
import { noteStore } from './store.ts'

const max = 3

const manyKeys: Check<InsideContext> = {
  id: 'note_keys',
  level: 'info',
  passMessage: 'no account has more than three keys of devices',
  why: 'A key that its owner has forgotten writes notes.',
  mend: { do: 'Set a new password for the account: its keys end.' },
  async find({ db }) {
    const accounts = await noteStore(db).withKeysBeyond(max)
    return accounts.map((userId) => ({ what: `The user ${userId} has more than ${max} keys.` }))
  },
}

export const checks: ModuleChecks = { inside: [manyKeys] }
