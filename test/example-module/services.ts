import { hook, service } from '../../src/core/module/service.ts'
import { badgeSignIn } from './badge-way.ts'
import { type Badges, createBadges } from './badges.ts'
import { createNoteKind } from './factor.ts'
import { createNotes, type Notes } from './notes.ts'
import { sections } from './personal-data.ts'
import { badgeStore, endKeysOf } from './store.ts'

declare module '../../src/core/module/services.ts' {
  interface Services {
    readonly badges: Badges
    readonly notes: Notes
  }
}

export const services = [
  service({
    makes: ['badges'],
    create: (needs) => ({ badges: createBadges(needs) }),
  }),
  service({
    makes: ['notes'],
    create: (needs) => ({ notes: createNotes(needs) }),
  }),
]

export const hooks = [
  hook('factorKind', [], createNoteKind),
  hook('personSections', [], () => sections),
  hook('signInPages', ['accounts', 'badges', 'devices', 'limits', 'requirements'], badgeSignIn),
  hook('waysIn', ['badges'], ({ badges }) => async (userId) => ({
    badges: (await badges.since(userId)) === null ? 0 : 1,
  })),
  hook('onAccountEnded', [], () => async (trx, { userId, endsKeys, endsLogins }) => {
    if (endsLogins) await endKeysOf(trx, userId)
    if (endsKeys) await badgeStore(trx).remove(userId)
  }),
]
