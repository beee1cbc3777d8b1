import type { Config } from '../../core/config/load.ts'
import { type Random, randomText } from '../../core/crypto/random.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import type { Events } from '../../core/events/events.ts'
import { type Clock, isoTime } from '../../core/lib/clock.ts'
import { keyRotated } from './events.ts'
import type { MasterRing } from './master-ring.ts'
import { longestTokenMs, publishedMs, type TokenPurpose } from './opened-keys.ts'
import { sealKey } from './sealed-key.ts'
import { generateMaterial, rsaBitsOf, type SigningAlgorithm } from './signing-key.ts'
import { type KeyPurpose, keyStore, type SealedKey } from './store.ts'

/** Adds missing keys and successors to the key set. */
export interface NewKeys {
  /** Adds a key for each purpose without a key in use. */
  addMissing(algorithms: Algorithms): Promise<void>
  /**
   * Adds a successor to the key in use, which verifies until its last token has expired. Null if
   * the key in use is younger than `ifOlderThanMs`: another process was first.
   */
  replace(
    purpose: TokenPurpose,
    algorithm: SigningAlgorithm,
    how?: Replacing,
  ): Promise<Added | null>
}

/** Without `signing`, a key of the operator signs. */
export type Algorithms = Readonly<Partial<Record<KeyPurpose, string>>>

export interface Replacing {
  readonly ifOlderThanMs?: number
  /** Sign as soon as every node knows the key, without the wait of `publishedMs`. */
  readonly atOnce?: boolean
  readonly guard?: Guard | undefined
}

export interface Added {
  readonly kid: string
  /** Epoch milliseconds; null: as soon as every node knows the key. */
  readonly signsFrom: number | null
}

export interface NewKeysDeps {
  readonly config: Pick<Config, 'token'>
  readonly db: Database
  readonly clock: Clock
  readonly events: Events
  readonly ring: Pick<MasterRing, 'open' | 'sealing'>
  readonly random: Random
}

/** AES-256. */
export const dataKeyBytes = 32
export const dataKeyAlgorithm = 'A256GCM'
// Added to the longest lifetime of a token: clocks of nodes differ.
const overlapMarginMs = 60_000

export function createNewKeys(deps: NewKeysDeps): NewKeys {
  const { config, db, clock, events, ring, random } = deps

  return {
    async addMissing(algorithms) {
      const stored = await keyStore(db).all()
      // Before the transaction: generating an RSA key is slow.
      const made = await Promise.all(
        missing(stored, algorithms).map(async ([purpose, algorithm]) => {
          const material = await materialOf(purpose, algorithm, stored)
          return { purpose, algorithm, material }
        }),
      )
      if (made.length === 0) return
      await transact(db, [lockName.keys], async (trx) => {
        const present = await keyStore(trx).all()
        const still = new Set(missing(present, algorithms).map(([purpose]) => purpose))
        const now = clock.now()
        const masterKey = ring.sealing(present)
        for (const { material, ...key } of made) {
          if (!still.has(key.purpose)) continue
          const createdAt = after(present, key.purpose, now)
          await insert(trx, { ...key, createdAt, signsFrom: null }, { masterKey, material })
        }
      })
    },

    async replace(purpose, algorithm, { ifOlderThanMs, atOnce = false, guard } = {}) {
      const inUse = (keys: readonly SealedKey[]) => keys.filter(isInUse(purpose, algorithm))
      const isDue = (keys: readonly SealedKey[]) =>
        ifOlderThanMs === undefined ||
        inUse(keys).every(({ createdAt }) => clock.now() - createdAt >= ifOlderThanMs)
      const stored = await keyStore(db).all()
      if (!isDue(stored)) return null
      const material = await materialOf(purpose, algorithm, stored)
      const work = async (trx: DatabaseOrTransaction) => {
        const present = await keyStore(trx).all()
        if (!isDue(present)) return null
        const now = clock.now()
        const signsFrom = atOnce ? null : now + publishedMs
        const until = (signsFrom ?? now) + longestTokenMs(config) + overlapMarginMs
        await keyStore(trx).retire(
          inUse(present).map(({ id }) => id),
          until,
        )
        const createdAt = after(present, purpose, now)
        const made = { masterKey: ring.sealing(present), material }
        const kid = await insert(trx, { purpose, algorithm, createdAt, signsFrom }, made)
        const signs_from = isoTime(signsFrom ?? now)
        await events.emitInTransaction(trx, keyRotated, { kid, purpose, signs_from })
        return { kid, signsFrom }
      }
      return transact(db, [lockName.keys], work, guard)
    },
  }

  function materialOf(
    purpose: KeyPurpose,
    algorithm: string,
    stored: readonly SealedKey[],
  ): Promise<Uint8Array> | Uint8Array {
    if (purpose === 'data') return random.bytes(dataKeyBytes)
    const bits = stored.filter(isInUse(purpose, 'RS256')).map((key) => rsaBitsOf(ring.open(key)))
    const rsaBits = Math.max(config.token.rsaBits, ...bits) // a successor is never shorter
    return generateMaterial(algorithm as SigningAlgorithm, random, rsaBits)
  }

  async function insert(
    trx: DatabaseOrTransaction,
    key: Pick<SealedKey, 'purpose' | 'algorithm' | 'createdAt' | 'signsFrom'>,
    { masterKey, material }: { readonly masterKey: Uint8Array; readonly material: Uint8Array },
  ): Promise<string> {
    const id = newKeyId(random)
    const sealed = sealKey(random, masterKey, { ...key, id }, material)
    await keyStore(trx).insert({ ...key, id, sealed, retiredAt: null, isOlder: false })
    return id
  }
}

export function newKeyId(random: Random): string {
  return randomText(random, 12)
}

function missing(stored: readonly SealedKey[], algorithms: Algorithms): [KeyPurpose, string][] {
  return (['signing', 'refresh', 'identity', 'data'] as const).flatMap((purpose) => {
    const algorithm = algorithms[purpose]
    if (algorithm === undefined || stored.some(isInUse(purpose, algorithm))) return []
    return [[purpose, algorithm]]
  })
}

function isInUse(purpose: KeyPurpose, algorithm: string) {
  return (key: SealedKey) =>
    key.purpose === purpose && key.algorithm === algorithm && key.retiredAt === null
}

/** At least one millisecond after the newest key, because the newest key signs. */
function after(stored: readonly SealedKey[], purpose: KeyPurpose, now: number): number {
  const times = stored.filter((key) => key.purpose === purpose).map((key) => key.createdAt + 1)
  return Math.max(now, ...times)
}
