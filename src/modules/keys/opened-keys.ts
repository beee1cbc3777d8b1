import type { JWK } from 'jose'
import type { Config } from '../../core/config/load.ts'
import type { KeyAges } from './key-ages.ts'
import {
  type OperatorKey,
  publicJwk,
  type SigningAlgorithm,
  type SigningKey,
  signingKey,
} from './signing-key.ts'
import type { SealedKey } from './store.ts'

/** `identity`: what applications receive from the provider. */
export type TokenPurpose = 'signing' | 'refresh' | 'identity'

export interface OpenKey {
  readonly key: Omit<SealedKey, 'sealed'>
  readonly material: Uint8Array
}

interface Verifier {
  readonly key: SigningKey
  readonly purpose: TokenPurpose
  readonly retiredAt: number | null
}

/** One state of the key set, in memory. */
export interface OpenedKeys {
  readonly dataKey: Uint8Array
  /**
   * The newest key that may sign and that every node knows. If no key qualifies, `waitMs` says how
   * long to wait for the returned key; at most `settleMs`.
   */
  signer(purpose: TokenPurpose, now: number): { readonly key: SigningKey; readonly waitMs: number }
  /** The key that signs at `now` by the ages of the keys, also right after a start. */
  current(purpose: TokenPurpose, now: number): SigningKey
  /** Only a command can lack a signing key. */
  canSign(purpose: TokenPurpose, now: number): boolean
  has(kid: string): boolean
  verifier(kid: string, purpose: TokenPurpose, now: number): SigningKey | undefined
  /** The number of keys that no longer verify. */
  ended(now: number): number
  /** The public keys of access tokens, including keys that sign later. RFC 7517 section 5. */
  jwks(now: number): JWK[]
}

export interface OpenKeysOptions {
  readonly algorithm: SigningAlgorithm
  readonly own: readonly OperatorKey[]
  readonly ages: KeyAges
  readonly config: Pick<Config, 'token'>
  readonly mayLackSigner?: boolean
}

/**
 * How long a node waits before signing with a key that it sees for the first time. Other nodes
 * notice a change within a second, or ask the database: node-lease.ts.
 */
export const settleMs = 2000
// Every node knows a key of this age; clocks differ by seconds.
const knownAfterMs = 60_000
/**
 * How long a key is published before it signs. Other services cache the public keys for half of it.
 */
export const publishedMs = 600_000
const dayMs = 86_400_000
const weekSeconds = 604_800

/** Opens a state of the key set; `stored` is newest first. @throws Error if keys are missing */
export function openKeys(
  stored: readonly OpenKey[],
  { algorithm, own, ages, config, mayLackSigner = false }: OpenKeysOptions,
): OpenedKeys {
  const dataKeys = stored.filter(({ key }) => key.purpose === 'data' && key.retiredAt === null)
  const [dataKey] = dataKeys
  const bornAt = dataKeys.at(-1)?.key.createdAt
  const sharedUntil = endOfSharedKeys(stored, config)

  const byKid = new Map<string, Verifier>()
  for (const { key, material } of stored) {
    const { id, purpose, retiredAt } = key
    if (purpose === 'data') continue
    const made = signingKey(id, key.algorithm as SigningAlgorithm, material)
    byKid.set(id, { key: made, purpose, retiredAt })
  }
  for (const key of own) byKid.set(key.kid, { key, purpose: 'signing', retiredAt: null })
  const ends = [...byKid.values()].flatMap(({ retiredAt }) => retiredAt ?? [])

  const operatorKey = own.find((key) => key.signs && key.algorithm === algorithm)
  const signers = {
    signing: signersOf('signing', algorithm),
    refresh: signersOf('refresh', 'HS256'),
    identity: signersOf('identity', 'RS256'),
  }
  const hasSigner = operatorKey !== undefined || signers.signing.length > 0
  const isIntact = (hasSigner || mayLackSigner) && signers.refresh.length > 0
  if (!isIntact || !dataKey) throw new Error('the key set is not whole')

  return {
    dataKey: dataKey.material,

    signer(purpose, now) {
      if (purpose === 'signing' && operatorKey) return { key: operatorKey, waitMs: 0 }
      const { key, row } = newest(purpose, now, (one) => untilKnownMs(one) === 0)
      return { key, waitMs: untilKnownMs(row) }
    },

    current(purpose, now) {
      if (purpose === 'signing' && operatorKey) return operatorKey
      return newest(purpose, now, (row) => ages.of(row) >= settleMs).key
    },

    canSign: (purpose, now) =>
      (purpose === 'signing' && operatorKey !== undefined) || lasting(purpose, now).length > 0,

    has: (kid) => byKid.has(kid),

    verifier(kid, purpose, now) {
      const found = byKid.get(kid)
      if (!found || hasEnded(found, now)) return undefined
      if (found.purpose === purpose) return found.key
      const isShared = purpose === 'refresh' && found.purpose === 'signing' && now < sharedUntil
      return isShared ? found.key : undefined
    },

    ended(now) {
      // Allocates no list: each request with a token calls this several times.
      let count = 0
      for (const endsAt of ends) if (now >= endsAt) count += 1
      return count
    },

    jwks: (now) =>
      [...byKid.values()].flatMap((verifier) => {
        const { kid, algorithm: alg, verifyWith } = verifier.key
        if (alg !== 'RS256' || hasEnded(verifier, now)) return []
        return [{ ...publicJwk(verifyWith), kid, alg, use: 'sig' }]
      }),
  }

  function signersOf(purpose: TokenPurpose, name: string) {
    return stored.flatMap(({ key: row }) => {
      const key = byKid.get(row.id)?.key
      return key && row.purpose === purpose && row.algorithm === name ? [{ row, key }] : []
    })
  }

  /** The keys of a purpose, newest first, that outlive a token of `ms`. */
  function lasting(purpose: TokenPurpose, now: number, ms = longestTokenMs(config)) {
    return signers[purpose].filter(({ row }) => now + ms <= (row.retiredAt ?? Infinity))
  }

  function longestOf(purpose: TokenPurpose): number {
    const { singleSeconds, accessSeconds, refreshSeconds } = config.token
    return 1000 * (purpose === 'refresh' ? refreshSeconds : Math.max(singleSeconds, accessSeconds))
  }

  /**
   * The newest usable key. Without a usable key, the previous key still signs tokens that it
   * outlives: the lifetimes in the settings may have become shorter.
   */
  function newest(purpose: TokenPurpose, now: number, isKnown: (row: OpenKey['key']) => boolean) {
    const all = lasting(purpose, now)
    const isDue = ({ row }: (typeof all)[number]) =>
      (row.signsFrom ?? 0) <= now || ages.seen(row.id) >= publishedMs
    const due = all.filter(isDue)
    const before = lasting(purpose, now, longestOf(purpose)).find(isDue)
    const found = due.find(({ row }) => isKnown(row)) ?? due[0] ?? before ?? all[0]
    if (!found) throw new Error('the key set is not whole')
    return found
  }

  function untilKnownMs(row: OpenKey['key']): number {
    const isFirst = row.createdAt === bornAt // no node ran without the first key
    if (isFirst || ages.of(row) >= knownAfterMs) return 0
    return Math.max(0, settleMs - ages.seen(row.id))
  }
}

function hasEnded({ retiredAt }: Pick<Verifier, 'retiredAt'>, now: number): boolean {
  return now >= (retiredAt ?? Infinity)
}

export function longestTokenMs({ token }: Pick<Config, 'token'>): number {
  return Math.max(token.singleSeconds, token.accessSeconds, token.refreshSeconds) * 1000
}

/**
 * Until when keys of access tokens also verify refresh tokens of version 0.2.0: one lifetime of a
 * refresh token plus a day for nodes of 0.2.0. 0 for installations that are newer.
 */
function endOfSharedKeys(stored: readonly OpenKey[], { token }: Pick<Config, 'token'>): number {
  if (!stored.some(({ key }) => key.purpose === 'data' && key.isOlder)) return 0
  const firstAt = stored.findLast(({ key }) => key.purpose === 'refresh')?.key.createdAt ?? 0
  return firstAt + dayMs + Math.max(token.refreshSeconds, weekSeconds) * 1000
}
