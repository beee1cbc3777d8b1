import type { ChangeFeed } from '../database/connect.ts'
import { BoundedMap } from '../kernel/bounded-map.ts'
import type { Users } from '../users/users.ts'

/** E-mail and name of token holders for /api/me, kept until the user changes. */
export interface Profiles {
  of(userId: number): Promise<Profile>
  forget(userId: number): void
}

export interface Profile {
  readonly email: string | null
  readonly name: string | null
}

const mostKept = 10_000
const nobody: Profile = { email: null, name: null }

export function createProfiles(users: Pick<Users, 'byId'>, feed: ChangeFeed): Profiles {
  const kept = new BoundedMap<number, Profile>(mostKept)
  let keptVersion = feed.version()

  return {
    async of(userId) {
      const current = feed.version()
      if (current !== keptVersion) {
        kept.clear()
        keptVersion = current
      }
      const known = kept.get(userId)
      if (known) return known
      const user = await users.byId(userId)
      const profile = user ? { email: user.email, name: user.name } : nobody
      kept.set(userId, profile)
      return profile
    },
    forget: (userId) => kept.delete(userId),
  }
}
