import type { FastifyRequest } from 'fastify'
import { derivedKey, digest, keyedDigest } from '../../core/crypto/digest.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import { ApiError, refuseField } from '../../core/errors.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import type { Needs } from '../../core/module/services.ts'
import { type AnsweredRequest, idempotencyStore, purgeIdempotencyKeys } from './store.ts'

/**
 * A retried POST gets the stored response. Keys last 24 hours per caller and route, stored in the
 * transaction of the work. Failures are not stored. draft-ietf-httpapi-idempotency-key-header.
 */
export interface Idempotency {
  /**
   * `prepare` runs before the transaction and may be slow or throw; its result runs inside, after
   * reauthorization.
   * @throws ApiError validationFailed for a malformed key, idempotencyKeyReused for another body
   */
  once<Body extends object>(
    request: FastifyRequest,
    prepare: () => Work<Body> | Promise<Work<Body>>,
    /** User id named in the response. */
    personIn?: (body: Body) => number,
  ): Promise<Done<Body>>
  /** Returns the number of deleted keys. */
  purge(batchSize: number): Promise<number>
}

export type Work<Body> = (trx: DatabaseOrTransaction) => Promise<Body>

export interface Done<Body> {
  readonly body: Body
  readonly isRepeat: boolean
}

const keptMs = 24 * 3_600_000
const keyFormat = /^[\x21-\x7e]{1,255}$/

export function createIdempotency({
  db,
  asyncCommitDb,
  clock,
  keys,
}: Pick<Needs, 'db' | 'asyncCommitDb' | 'clock' | 'keys'>): Idempotency {
  // Bodies contain passwords: a plain digest would allow fast guesses.
  const fingerprintKey = derivedKey(keys.dataKey, 'idempotency')

  return {
    async once<Body extends object>(
      request: FastifyRequest,
      prepare: () => Work<Body> | Promise<Work<Body>>,
      personIn?: (body: Body) => number,
    ): Promise<Done<Body>> {
      const guard = reauthorize(request)
      const key = request.headers['idempotency-key']
      if (key === undefined) {
        const work = await prepare()
        return { body: await transact(db, [], work, guard), isRepeat: false }
      }
      const id = idOf(request, String(key))
      const fingerprint = keyedDigest(fingerprintKey, JSON.stringify(request.body))
      const repeat = async (trx: DatabaseOrTransaction): Promise<Done<Body> | null> => {
        const answered = await idempotencyStore(trx).find(id, clock.now())
        if (answered) await guard?.authorize(trx) // no committed transaction authorizes a replay
        return answered && { body: replay(answered, fingerprint), isRepeat: true }
      }

      const repeated = await repeat(db)
      if (repeated) return repeated
      try {
        const work = await prepare()
        const claimed = async (trx: DatabaseOrTransaction): Promise<Done<Body>> => {
          const now = clock.now()
          const store = idempotencyStore(trx)
          if (!(await store.claim(id, { now, expiresAt: now + keptMs }))) {
            return present(await repeat(trx))
          }
          const body = await work(trx)
          const persons = { caller: callerOf(request), person: personIn?.(body) ?? null }
          await store.keep(id, { fingerprint, answer: JSON.stringify(body), ...persons })
          return { body, isRepeat: false }
        }
        return await transact(db, [lockName.idempotencyKey(id)], claimed, guard)
      } catch (error) {
        // A concurrent request may have caused the error: replay its response.
        const done = error instanceof ApiError ? await repeat(db) : null
        if (done) return done
        throw error
      }
    },

    purge: (batchSize) => purgeIdempotencyKeys(asyncCommitDb, clock.now(), batchSize),
  }
}

/** Differs per caller, method and route. */
function idOf({ principal, method, routeOptions }: FastifyRequest, key: string): string {
  if (!keyFormat.test(key)) {
    return refuseField(['Idempotency-Key'], {
      en: 'must be 1 to 255 visible ASCII characters',
      de: 'muss 1 bis 255 sichtbare ASCII-Zeichen haben',
    })
  }
  return digest(JSON.stringify([principal?.subject ?? null, method, routeOptions.url, key]))
}

/** Null without an account. */
function callerOf({ principal }: FastifyRequest): number | null {
  const id = Number(principal?.subject ?? '')
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

/** @throws ApiError idempotencyKeyReused */
function replay<Body>(answered: AnsweredRequest, fingerprint: string): Body {
  if (answered.fingerprint !== fingerprint) {
    throw new ApiError('idempotencyKeyReused', { reason: { code: 'idempotency_key_reused' } })
  }
  if (answered.answer === '') {
    throw new ApiError('idempotencyKeyReused', { reason: { code: 'idempotency_answer_erased' } })
  }
  return JSON.parse(answered.answer) // written by `keep`
}

function present<Body>(done: Done<Body> | null): Done<Body> {
  if (!done) throw new Error('an idempotency key vanished inside a transaction')
  return done
}
