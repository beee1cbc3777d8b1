import { parseThrottledAddress } from '../../core/addresses/address.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import { refuseField } from '../../core/errors.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { inTurn } from '../../core/http/lists/bulk-answers.ts'
import { parsePage, type Query } from '../../core/http/lists/paging.ts'
import { type App, listQuery, Message } from '../../core/http/schemas.ts'
import { isoTimeOrNull } from '../../core/lib/clock.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { createBatchQueue } from '../../core/queues/batch-queue.ts'
import { AccountName } from '../accounts/schemas.ts'
import { AddressCleared, ThrottledAddress, ThrottleNow } from './schemas.ts'
import { clearAddress, clearThrottle, type NamedState, nameLimits } from './throttled.ts'

const access = { rule: role('ADMIN') }
const maxPerPage = 100
const noAddress = {
  en: 'must be an IPv4 or IPv6 address, or an IPv6 network of /64',
  de: 'muss eine IPv4- oder IPv6-Adresse sein, oder ein IPv6-Netz mit /64',
}

/**
 * Administrators read and clear limits and lockouts. A name clears the limits of the account and of
 * the client with that name. An address clears its limits for all names; limits of names stay.
 */
export async function routes(app: App, options: Needs): Promise<void> {
  const { db, lock, throttle } = options
  // Sequential; disconnected callers leave the queue.
  const queue = createBatchQueue({ maxRunning: 1 })

  app.get(
    '/api/admin/throttle',
    {
      config: { tag: 'Login limits', access, query: listQuery(maxPerPage) },
      schema: {
        operationId: 'listLoginLimits',
        summary: 'Accounts with failed logins in a row, and the tries that limits count now',
        response: { 200: ThrottleNow },
      },
    },
    (request, reply) =>
      inTurn(request, reply, { mayBeRefused: true, queue })(async () => {
        const page = parsePage(request.query as Query, maxPerPage)
        const failing = await lock.failing(page)
        const counts = await throttle.page(page)
        return {
          ...page,
          accounts: {
            total: failing.total,
            data: failing.data.map(({ username, failures, lockedUntil }) => ({
              username,
              failures,
              locked_until: isoTimeOrNull(lockedUntil),
            })),
          },
          counts: {
            total: counts.total,
            data: (await nameLimits(counts.data, options)).map(limitView),
          },
        }
      }),
  )

  app.delete(
    '/api/admin/throttle/:username',
    {
      config: {
        tag: 'Login limits',
        access,
        examples: { answer: { message: 'Failed tries forgotten' } },
      },
      schema: {
        operationId: 'clearLoginLimits',
        summary: 'Forget the failed tries of a username and its automatic lock, or of a client',
        params: AccountName,
        response: { 200: Message },
      },
    },
    async (request) => {
      const username = canonicalUsername(request.params.username)
      const guard = reauthorize(request)
      if (username === null) await guard?.authorize(db)
      else {
        const { username: clientId } = request.params
        await transact(db, [], (trx) => clearThrottle(trx, username, options, clientId), guard)
      }
      return { message: 'Failed tries forgotten' }
    },
  )

  app.delete(
    '/api/admin/throttle/addresses/:address',
    {
      config: { tag: 'Login limits', access, errors: ['validationFailed'] },
      schema: {
        operationId: 'clearAddressLimits',
        summary: 'Forget the failed tries of an address, or of the /64 network of an IPv6 address',
        params: ThrottledAddress,
        response: { 200: AddressCleared },
      },
    },
    async (request) => {
      const address = parseThrottledAddress(request.params.address)
      if (address === null) refuseField(['address'], noAddress)
      const work = (trx: DatabaseOrTransaction) => clearAddress(trx, address, options)
      const forgotten = await transact(db, [], work, reauthorize(request))
      return { message: 'Failed tries forgotten', ...forgotten }
    },
  )
}

export function limitView(now: NamedState) {
  return {
    count: now.count,
    username: now.username,
    ...(now.client !== undefined && { client: now.client }),
    address: now.address,
    used: now.used,
    pending: now.pending,
    attempts: now.attempts,
    blocked_until: isoTimeOrNull(now.blockedUntil),
  }
}
