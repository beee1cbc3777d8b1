import { createChallenge, type Payload, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Database } from '../database/database.ts'
import { removeEnded } from '../database/purge.ts'
import { Integer, type Static, Text } from '../http/schemas.ts'
import type { Clock } from '../kernel/clock.ts'
import { derivedKey } from '../kernel/digest.ts'
import type { KeySet } from '../keys/key-set.ts'

/**
 * The proof of work of spec 8, in the format of ALTCHA (version 2), made and judged here: no other
 * service is asked. A challenge is signed and not stored; that its solution was used is.
 */
export interface Captcha {
  challenge(): Promise<Challenge>
  /** Whether this solves a challenge of ours that is not over yet, for the first time. */
  accepts(solution: string | undefined): Promise<boolean>
}

/** What the widget of ALTCHA takes. */
export const ChallengeBody = {
  type: 'object',
  required: ['parameters', 'signature'],
  properties: {
    parameters: {
      type: 'object',
      required: ['algorithm', 'cost', 'expiresAt', 'keyLength', 'keyPrefix', 'nonce', 'salt'],
      properties: {
        algorithm: Text,
        cost: Integer,
        expiresAt: Integer,
        keyLength: Integer,
        keyPrefix: Text,
        nonce: Text,
        salt: Text,
      },
      additionalProperties: false,
    },
    signature: Text,
  },
  additionalProperties: false,
} as const

export type Challenge = Static<typeof ChallengeBody>

export interface CaptchaDeps {
  readonly db: Database
  readonly clock: Clock
  readonly keys: Pick<KeySet, 'dataKey'>
}

// 256 derivations on average, and one to verify: a guesser pays ten times what the guess costs here.
const algorithm = 'PBKDF2/SHA-256'
const cost = 2000
const keyPrefix = '00'
const lifeSeconds = 600

export function createCaptcha({ db, clock, keys }: CaptchaDeps): Captcha {
  const hmacSignatureSecret = derivedKey(keys.dataKey, 'captcha').toString('base64url')

  return {
    async challenge() {
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
      const { nonce, expiresAt = 0 } = payload.challenge.parameters // ours: the signature says so
      return expiresAt * 1000 > clock.now() && use(nonce, expiresAt * 1000)
    },
  }

  async function isSolved({ challenge, solution }: Payload): Promise<boolean> {
    try {
      const options = { challenge, solution, deriveKey, hmacSignatureSecret }
      return (await verifySolution(options)).verified
    } catch {
      return false // the library throws where the shape is not even that of a challenge
    }
  }

  /** Answers false where it was used before: of several at once, one is first. */
  async function use(nonce: string, expiresAt: number): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('used_challenges')
      .values({ nonce, expires_at: expiresAt })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows === 1n
  }
}

/** Forgets up to `most` challenges that are over. */
export function purgeChallenges(
  { db, clock }: Pick<CaptchaDeps, 'db' | 'clock'>,
  most: number,
): Promise<number> {
  const challenges = { table: 'used_challenges', key: 'nonce', column: 'expires_at' } as const
  return removeEnded(db, { ...challenges, until: clock.now() }, most)
}

/** Base64 of JSON, as the widget sends it; null for anything else. */
function parse(text: string): Payload | null {
  try {
    const payload: unknown = JSON.parse(Buffer.from(text, 'base64').toString())
    return typeof payload === 'object' && payload !== null ? (payload as Payload) : null // judged next
  } catch {
    return null
  }
}
