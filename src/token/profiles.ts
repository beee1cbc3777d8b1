import { BoundedMap } from '../bounded/bounded-map.ts'
import type { Users } from '../users/users.ts'
import type { Revocations } from './revocations.ts'

/** E-mail and name of token holders for /api/me, kept until the user changes. */
export interface Profiles {
  of(userId: number): Promise<Profile>
  forget(userId: number): void
}

export interface Profile {
  readonly email: string | null
  readonly name: string | null
}

const maxKept = 10_000
/** Of an external caller without an account. */
export const nobody: Profile = { email: null, name: null }

/** @param changes whose epoch differs once the database may have been changed */
export function createProfiles(
  users: Pick<Users, 'byId'>,
  changes: Pick<Revocations, 'epoch'>,
): Profiles {
  const kept = new BoundedMap<number, Profile>(maxKept)
  let keptEpoch = changes.epoch
  let generation = 0 // raised by every change: what was read before one is not kept after it

  return {
    async of(userId) {
      if (changes.epoch !== keptEpoch) {
        kept.clear()
        keptEpoch = changes.epoch
        generation += 1
      }
      const known = kept.get(userId)
      if (known) return known
      const readIn = generation
      const user = await users.byId(userId)
      const profile = user ? { email: user.email, name: user.name } : nobody
      if (readIn === generation) kept.set(userId, profile)
      return profile
    },
    forget(userId) {
      kept.delete(userId)
      generation += 1
    },
  }
}
