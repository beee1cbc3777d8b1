import type { FastifyRequest } from 'fastify'
import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { lockName, transact } from '../database/transactions.ts'
import { stillAllowed } from '../http/routes/still-allowed.ts'
import type { Clock } from '../kernel/clock.ts'
import { derivedKey, digest, keyedDigest } from '../kernel/digest.ts'
import { ApiError, refuseField } from '../kernel/errors.ts'
import type { KeySet } from '../keys/key-set.ts'
import { type AnsweredRequest, idempotencyStore, purgeIdempotencyKeys } from './store.ts'

/**
 * Idempotency-Key: a POST that is sent again, because its answer was lost, is answered again and not
 * done again. The key is remembered for 24 hours per caller and route, in the transaction of what it
 * did: there is never the one without the other. Only what succeeded is remembered. After
 * draft-ietf-httpapi-idempotency-key-header.
 */
export interface Idempotency {
  /**
   * Does the work once per key; without the header, always. `prepare` is what takes time and may refuse,
   * what it answers is done in the transaction, for a caller who is judged again there.
   * @throws ApiError validationFailed for a malformed key, idempotencyKeyReused for another body
   */
  once<Body extends object>(
    request: FastifyRequest,
    prepare: () => Work<Body> | Promise<Work<Body>>,
  ): Promise<Done<Body>>
  purge(most: number): Promise<number>
}

export type Work<Body> = (trx: DatabaseOrTransaction) => Promise<Body>

export interface Done<Body> {
  readonly body: Body
  /** The answer of an earlier request: nothing was done for this one. */
  readonly isRepeat: boolean
}

export interface IdempotencyDeps {
  readonly db: Database
  readonly clock: Clock
  readonly keys: Pick<KeySet, 'dataKey'>
}

const keptMs = 24 * 3_600_000
const keyFormat = /^[\x21-\x7e]{1,255}$/

export function createIdempotency({ db, clock, keys }: IdempotencyDeps): Idempotency {
  // Bodies hold passwords: a plain digest of one could be guessed at without paying for its hash.
  const fingerprintKey = derivedKey(keys.dataKey, 'idempotency')

  return {
    async once<Body extends object>(
      request: FastifyRequest,
      prepare: () => Work<Body> | Promise<Work<Body>>,
    ): Promise<Done<Body>> {
      const guard = stillAllowed(request)
      const key = request.headers['idempotency-key']
      if (key === undefined) {
        const work = await prepare()
        return { body: await transact(db, [], work, guard), isRepeat: false }
      }
      const id = idOf(request, String(key))
      const fingerprint = keyedDigest(fingerprintKey, JSON.stringify(request.body))
      const repeat = async (trx: DatabaseOrTransaction): Promise<Done<Body> | null> => {
        const answered = await idempotencyStore(trx).find(id, clock.now())
        if (answered) await guard?.judge(trx) // nothing is committed for it
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
          await store.keep(id, { fingerprint, answer: JSON.stringify(body) })
          return { body, isRepeat: false }
        }
        return await transact(db, [lockName.idempotencyKey(id)], claimed, guard)
      } catch (error) {
        // What this one meets as a conflict may be what its twin has just done.
        const done = error instanceof ApiError ? await repeat(db) : null
        if (done) return done
        throw error
      }
    },

    purge: (most) => purgeIdempotencyKeys(db, clock.now(), most),
  }
}

/** Keys of one caller and one route are apart from those of all others. */
function idOf({ principal, method, routeOptions }: FastifyRequest, key: string): string {
  if (!keyFormat.test(key)) {
    return refuseField(['Idempotency-Key'], 'must be 1 to 255 visible ASCII characters')
  }
  return digest(JSON.stringify([principal?.subject ?? null, method, routeOptions.url, key]))
}

/** @throws ApiError idempotencyKeyReused */
function replay<Body>(answered: AnsweredRequest, fingerprint: string): Body {
  if (answered.fingerprint !== fingerprint) throw new ApiError('idempotencyKeyReused')
  return JSON.parse(answered.answer) // what `keep` wrote: a Body
}

function present<Body>(done: Done<Body> | null): Done<Body> {
  if (!done) throw new Error('an idempotency key vanished inside a transaction')
  return done
}
