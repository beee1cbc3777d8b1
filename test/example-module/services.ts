import { hook, service } from '../../src/core/module/service.ts'
import { createNoteKind } from './factor.ts'
import { createNotes, type Notes } from './notes.ts'
import { sections } from './personal-data.ts'
import { endKeysOf } from './store.ts'

declare module '../../src/core/module/services.ts' {
  interface Services {
    readonly notes: Notes
  }
}

export const services = [
  service({
    makes: ['notes'],
    create: (needs) => ({ notes: createNotes(needs) }),
  }),
]

export const hooks = [
  hook('factorKind', [], createNoteKind),
  hook('personSections', [], () => sections),
  hook('onAccountEnded', [], () => async (trx, { userId, endsLogins }) => {
    if (endsLogins) await endKeysOf(trx, userId)
  }),
]
