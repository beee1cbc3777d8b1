import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'throttle_places',
    key: ['id'],
    givesIds: true,
    namesPerson: {
      columns: ['address'],
      atErasure:
        'a network address beside digests, or the digest of a known browser beside a user id; goes with the window of the limit',
    },
    namesNone: ['username'],
  },
  { name: 'used_challenges', key: ['nonce'], namesNone: ['nonce'] },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    throttle_places: ThrottlePlacesTable
    used_challenges: UsedChallengesTable
  }
}

interface ThrottlePlacesTable {
  id: Generated<number>
  /**
   * Digest of the canonical username, because users type passwords into the wrong field; or the key
   * of another limit.
   */
  username: string
  address: string
  taken_at: number
  /** 1 while the password is being verified, 0 after a failure. */
  pending: number
  /** When the last window that counts the attempt ends. */
  expires_at: number
  /**
   * Written by triggers: how many attempts of the key counted with this one, and when the first
   * expires.
   */
  nth: Generated<number>
  frees_at: Generated<number>
}

/** Used proofs of work; each is accepted once. */
interface UsedChallengesTable {
  nonce: string
  expires_at: number
}
