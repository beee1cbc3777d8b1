import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../../core/lib/clock.ts'
import type { VerifyingKey } from '../tokens/jws.ts'
import { staleWhileRevalidate } from './stale-while-revalidate.ts'

/** RFC 7517; spec 5.4. */
export interface ProviderKeys {
  /** Changes on reload: tokens must be verified again. */
  readonly generation: number
  /** Reloads old keys in the background. */
  keepFresh(): void
  /**
   * Reloads for an unknown `kid`, at most once in 30 seconds. @throws ApiError while there are no
   * keys
   */
  find(
    kid: string | undefined,
    algorithm: unknown,
    isOfIssuer?: IsOfIssuer,
  ): Promise<VerifyingKey | undefined>
}

/** By the member `issuer` of a key, which Microsoft adds. */
type IsOfIssuer = (issuer: unknown) => boolean

interface PublicKey {
  readonly kid: unknown
  readonly issuer: unknown
  readonly algorithm: unknown
  readonly key: KeyObject
}

const freshMs = 600_000
const coolDownMs = 30_000
/** Lifetime of keys while the provider is unavailable. */
const keptMs = 86_400_000
const maxKeys = 100
const minModulusBits = 2048 // RFC 7518 section 3.3

/** Only asymmetric keys. RFC 8725 3.1. */
const fits: Readonly<Record<string, (key: KeyObject) => boolean>> = {
  ...Object.fromEntries(
    ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((name) => [name, isSoundRsa]),
  ),
  ES256: isOnCurve('prime256v1'),
  ES384: isOnCurve('secp384r1'),
  ES512: isOnCurve('secp521r1'),
  EdDSA: ({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519',
  Ed25519: ({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519',
}

export const asymmetricAlgorithms = Object.keys(fits)

export function createProviderKeys({
  clock,
  load,
}: {
  clock: Clock
  load: () => Promise<Readonly<Record<string, unknown>>>
}): ProviderKeys {
  const loadKeys = async () => parseKeys(await load())
  const keys = staleWhileRevalidate({ clock, load: loadKeys, freshMs, coolDownMs, keptMs })
  return {
    get generation() {
      return keys.generation
    },
    keepFresh: () => void keys.peek(),
    async find(kid, algorithm, isOfIssuer = () => true) {
      if (typeof algorithm !== 'string' || !Object.hasOwn(fits, algorithm)) return undefined
      const selectOf = (all: readonly PublicKey[]) =>
        select(
          all.filter(({ issuer }) => isOfIssuer(issuer)),
          kid,
          algorithm,
        )
      return selectOf(await keys.get()) ?? selectOf(await keys.renew())
    },
  }
}

/** Undefined if ambiguous. */
function select(
  keys: readonly PublicKey[],
  kid: string | undefined,
  algorithm: string,
): VerifyingKey | undefined {
  const [found, ...others] = keys.filter(
    (candidate) =>
      (kid === undefined || candidate.kid === kid) &&
      (candidate.algorithm === undefined || candidate.algorithm === algorithm) &&
      fits[algorithm]?.(candidate.key),
  )
  return found && others.length === 0 ? { algorithm, verifyWith: found.key } : undefined
}

/** Skips all but public signature keys. */
function parseKeys({ keys }: Readonly<Record<string, unknown>>): PublicKey[] {
  if (!Array.isArray(keys)) return []
  return keys.slice(0, maxKeys).flatMap((jwk: unknown) => {
    if (typeof jwk !== 'object' || jwk === null) return []
    const { kid, alg, use, kty, issuer } = jwk as Record<string, unknown>
    if (kty === 'oct' || (use !== undefined && use !== 'sig')) return []
    try {
      return [{ kid, issuer, algorithm: alg, key: createPublicKey({ key: jwk, format: 'jwk' }) }]
    } catch {
      return []
    }
  })
}

function isSoundRsa({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= minModulusBits
}

function isOnCurve(curve: string) {
  return ({ asymmetricKeyDetails }: KeyObject) => asymmetricKeyDetails?.namedCurve === curve
}
