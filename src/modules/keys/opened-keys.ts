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

/** The types of tokens, by the purpose of the key that signs them. */
export type TokenPurpose = 'signing' | 'refresh'

/** A key that the database holds, opened. */
export interface OpenKey {
  readonly key: Omit<SealedKey, 'sealed'>
  readonly material: Uint8Array
}

interface Verifier {
  readonly key: SigningKey
  readonly purpose: TokenPurpose
  readonly retiredAt: number | null
}

/** The keys of one state of the key set; nothing here asks the database. */
export interface OpenedKeys {
  readonly dataKey: Uint8Array
  /**
   * The key that signs at `now`: the newest whose time has come and that every node knows. `waitMs`
   * is greater than 0 if there is none, until every node knows the answered one; at most `settleMs`.
   */
  signer(purpose: TokenPurpose, now: number): { readonly key: SigningKey; readonly waitMs: number }
  /** The key that signs at `now` by the ages of the keys, also in a process that has just started. */
  current(purpose: TokenPurpose, now: number): SigningKey
  /** Whether there is a key that signs; only a command can lack one. */
  canSign(purpose: TokenPurpose, now: number): boolean
  /** Whether there is a key of a `kid`, for whatever tokens. */
  has(kid: string): boolean
  /** The key of a `kid` that verifies tokens of a type at `now`. */
  verifier(kid: string, purpose: TokenPurpose, now: number): SigningKey | undefined
  /** How many keys verify nothing any more at `now`. */
  ended(now: number): number
  /** The public keys of access tokens, also of those that do not sign yet. RFC 7517 section 5. */
  jwks(now: number): JWK[]
}

export interface OpenKeysOptions {
  readonly algorithm: SigningAlgorithm
  readonly own: readonly OperatorKey[]
  readonly ages: KeyAges
  readonly config: Pick<Config, 'token'>
  /** Whether a key of access tokens may be missing. */
  readonly mayLackSigner?: boolean
}

/**
 * How long a node waits before it signs with a key that it sees for the first time. Another node
 * notices a change within half a second, or else asks the database before it answers: feed.ts.
 */
export const settleMs = 2000
// A key of this age is known to all: the clocks of nodes differ by some seconds at most.
const knownAfterMs = 60_000
/**
 * How long a key is published before it signs: other services keep the public keys for half of it,
 * so that they meet no token of an unknown key.
 */
export const publishedMs = 600_000
const dayMs = 86_400_000
const weekSeconds = 604_800

/** Opens a state of the key set, `stored` being the newest first. @throws Error if keys are missing */
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
    const made = signingKey(id, key.algorithm as SigningAlgorithm, material) // as it was inserted
    byKid.set(id, { key: made, purpose, retiredAt })
  }
  for (const key of own) byKid.set(key.kid, { key, purpose: 'signing', retiredAt: null })

  const operatorKey = own.find((key) => key.signs && key.algorithm === algorithm)
  const signers = {
    signing: signersOf('signing', algorithm),
    refresh: signersOf('refresh', 'HS256'),
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
      return found.purpose === 'signing' && now < sharedUntil ? found.key : undefined
    },

    ended: (now) => [...byKid.values()].filter((key) => hasEnded(key, now)).length,

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

  /** The keys of a purpose, the newest first. A replaced key signs no token that would outlive it. */
  function lasting(purpose: TokenPurpose, now: number, ms = longestTokenMs(config)) {
    return signers[purpose].filter(({ row }) => now + ms <= (row.retiredAt ?? Infinity))
  }

  function longestOf(purpose: TokenPurpose): number {
    const { singleSeconds, accessSeconds, refreshSeconds } = config.token
    return 1000 * (purpose === 'refresh' ? refreshSeconds : Math.max(singleSeconds, accessSeconds))
  }

  /**
   * The newest key whose time has come, and that is known. If the time of none has come, the one
   * before still signs what it outlives: it can have been replaced with shorter lives of tokens in
   * the settings.
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

  /** How long until every node knows a key; 0 if every node does. */
  function untilKnownMs(row: OpenKey['key']): number {
    const isFirst = row.createdAt === bornAt // no node has worked without it
    if (isFirst || ages.of(row) >= knownAfterMs) return 0
    return Math.max(0, settleMs - ages.seen(row.id))
  }
}

function hasEnded({ retiredAt }: Pick<Verifier, 'retiredAt'>, now: number): boolean {
  return now >= (retiredAt ?? Infinity)
}

/** The longest life of a token by the present settings. */
export function longestTokenMs({ token }: Pick<Config, 'token'>): number {
  return Math.max(token.singleSeconds, token.accessSeconds, token.refreshSeconds) * 1000
}

/**
 * Until when keys of access tokens verify refresh tokens as well, with which version 0.2.0 signed
 * them: for a life of a refresh token after the first start of this version, and a day in which
 * nodes of 0.2.0 may work beside it. 0 for an installation that began with this version.
 */
function endOfSharedKeys(stored: readonly OpenKey[], { token }: Pick<Config, 'token'>): number {
  if (!stored.some(({ key }) => key.purpose === 'data' && key.isOlder)) return 0
  const firstAt = stored.findLast(({ key }) => key.purpose === 'refresh')?.key.createdAt ?? 0
  return firstAt + dayMs + Math.max(token.refreshSeconds, weekSeconds) * 1000
}
