import { BoundedMap } from '../../core/limits/bounded-map.ts'
import type { Users } from '../users/users.ts'
import type { Revocations } from './revocations.ts'

/** Email addresses and names for /api/me, cached until the user changes. */
export interface Profiles {
  of(userId: number): Profile | Promise<Profile>
  forget(userId: number): void
}

export interface Profile {
  readonly email: string | null
  readonly name: string | null
}

const maxCached = 10_000
/** For an external caller without an account, and for a deleted user. */
export const noProfile: Profile = { email: null, name: null }

/** The epoch of `changes` differs once the database may have changed. */
export function createProfiles(
  users: Pick<Users, 'byId'>,
  changes: Pick<Revocations, 'epoch'>,
): Profiles {
  const kept = new BoundedMap<number, Profile>(maxCached)
  let keptEpoch = changes.epoch
  let generation = 0 // a profile read before a change is not cached after the change

  return {
    of(userId) {
      if (changes.epoch !== keptEpoch) {
        kept.clear()
        keptEpoch = changes.epoch
        generation += 1
      }
      return kept.get(userId) ?? read(userId)
    },
    forget(userId) {
      kept.delete(userId)
      generation += 1
    },
  }

  async function read(userId: number): Promise<Profile> {
    const readIn = generation
    const user = await users.byId(userId)
    const profile = user ? { email: user.email, name: user.name } : noProfile
    if (readIn === generation) kept.set(userId, profile)
    return profile
  }
}
