import type { Payload } from 'altcha-lib'
import { derivedKey } from '../../core/crypto/digest.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import type { Static } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import type { ChallengeBody } from './schemas.ts'

/**
 * The proof of work of spec 8, in the format of ALTCHA (version 2). A challenge is signed and not
 * stored; its nonce is stored once a solution has been accepted.
 */
export interface Captcha {
  challenge(): Promise<Challenge>
  /** Whether the solution is the first for an unexpired challenge of this service. */
  accepts(solution: string | undefined): Promise<boolean>
}

export type Challenge = Static<typeof ChallengeBody>

export type CaptchaDeps = Pick<Needs, 'db' | 'clock' | 'keys'>

// 256 derivations on average to solve, one to verify: a guess costs the client ten times as much as
// the service.
const algorithm = 'PBKDF2/SHA-256'
const cost = 2000
const keyPrefix = '00'
const lifeSeconds = 600

export function createCaptcha({ db, clock, keys }: CaptchaDeps): Captcha {
  const hmacSignatureSecret = derivedKey(keys.dataKey, 'captcha').toString('base64url')

  return {
    async challenge() {
      const { createChallenge, deriveKey } = await loadAltcha()
      const expiresAt = Math.floor(clock.now() / 1000) + lifeSeconds
      const { parameters, signature } = await createChallenge({
        algorithm,
        cost,
        keyPrefix,
        deriveKey,
        expiresAt,
        hmacSignatureSecret,
      })
      if (signature === undefined) throw new Error('a challenge without a signature')
      return { parameters: { ...parameters, expiresAt }, signature }
    },

    async accepts(text) {
      const payload = text === undefined ? null : parse(text)
      if (!payload || !(await isSolved(payload))) return false
      const { nonce, expiresAt = 0 } = payload.challenge.parameters // the signature is verified
      return expiresAt * 1000 > clock.now() && use(nonce, expiresAt * 1000)
    },
  }

  async function isSolved({ challenge, solution }: Payload): Promise<boolean> {
    const { deriveKey, verifySolution } = await loadAltcha()
    try {
      const options = { challenge, solution, deriveKey, hmacSignatureSecret }
      return (await verifySolution(options)).verified
    } catch {
      return false // the library throws for other payload shapes
    }
  }

  /**
   * Stores the nonce as used; false if it was used before. One of several concurrent calls
   * succeeds.
   */
  async function use(nonce: string, expiresAt: number): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('used_challenges')
      .values({ nonce, expires_at: expiresAt })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows === 1n
  }
}

/** Deletes up to `batchSize` expired challenges; returns the count. */
export function purgeChallenges(
  { db, clock }: Pick<CaptchaDeps, 'db' | 'clock'>,
  batchSize: number,
): Promise<number> {
  const challenges = { table: 'used_challenges', key: 'nonce', column: 'expires_at' } as const
  return deleteExpired(db, { ...challenges, until: clock.now() }, batchSize)
}

/** Loaded at the first captcha: many services need none. */
async function loadAltcha() {
  const [library, { deriveKey }] = await Promise.all([
    import('altcha-lib'),
    import('altcha-lib/algorithms/pbkdf2'),
  ])
  return { ...library, deriveKey }
}

/** Null for anything but base64 of JSON. */
function parse(text: string): Payload | null {
  try {
    const payload: unknown = JSON.parse(Buffer.from(text, 'base64').toString())
    return typeof payload === 'object' && payload !== null ? (payload as Payload) : null // verified by isSolved
  } catch {
    return null
  }
}
