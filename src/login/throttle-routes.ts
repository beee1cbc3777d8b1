import type { FastifyInstance } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import { adminAction } from '../accounts/events.ts'
import type { AutomaticLock } from '../accounts/lock.ts'
import { AccountName } from '../accounts/schemas.ts'
import type { Clients } from '../clients/clients.ts'
import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { transact } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import { stillAllowed } from '../http/changes/still-allowed.ts'
import { parsePage, type Query } from '../http/lists/paging.ts'
import { ListQuery, Message, type SchemaTypes } from '../http/schemas.ts'
import { isoTime } from '../kernel/clock.ts'
import { canonicalUsername } from '../kernel/username.ts'
import { role } from '../policy/rules.ts'
import type { LimitState, ThrottleOverview } from '../throttle/overview.ts'
import { ThrottleNow } from './schemas.ts'

/**
 * GET /api/admin/throttle and DELETE /api/admin/throttle/{username}: an administrator sees and
 * clears the limits and lockouts that keep users from a login. The limits store only a digest of
 * each tried username, since users type passwords into the wrong field. The list shows a username
 * only if an account with failed logins has it, and the id of a client only if there is one. The
 * limits of clients are their own; a name clears those of the account and of the client that have it.
 */
export interface ThrottleRoutesOptions {
  readonly accounts: Pick<Accounts, 'byUserId'>
  readonly clients: Pick<Clients, 'ids'>
  readonly db: Database
  readonly events: Events
  readonly lock: AutomaticLock
  readonly throttle: ThrottleOverview
}

const access = { rule: role('ADMIN') }
const maxPerPage = 100

export async function throttleAdminRoutes(
  instance: FastifyInstance,
  { accounts, clients, db, events, lock, throttle }: ThrottleRoutesOptions,
): Promise<void> {
  const app = instance.withTypeProvider<SchemaTypes>()

  app.get(
    '/api/admin/throttle',
    {
      config: { access, query: ListQuery },
      schema: {
        summary: 'Accounts with failed logins in a row, and the tries that limits count now',
        response: { 200: ThrottleNow },
      },
    },
    async (request) => {
      const page = parsePage(request.query as Query, maxPerPage) // parsed by Fastify
      const failing = await lock.failing(page)
      const counts = await throttle.page(page)
      const failingNames = await lock.failingNames()
      const names = new Map(failingNames.map((name) => [throttle.digestOf(name), name]))
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
          data: await Promise.all(counts.data.map((count) => show(count, names))),
        },
      }
    },
  )

  app.delete(
    '/api/admin/throttle/:username',
    {
      config: { access },
      schema: {
        summary: 'Forget the failed tries of a username and its automatic lock, or of a client',
        params: AccountName,
        response: { 200: Message },
      },
    },
    async (request) => {
      const username = canonicalUsername(request.params.username)
      const guard = stillAllowed(request)
      if (username === null) await guard?.judge(db)
      else {
        const work = async (trx: DatabaseOrTransaction) => {
          const found = await lock.lift(trx, username)
          await throttle.forget(trx, username, found, request.params.username)
          await events.record(trx, adminAction, { user_id: found, what: 'throttle_cleared' })
        }
        await transact(db, [], work, guard)
      }
      return { message: 'Failed tries forgotten' }
    },
  )

  async function show(now: LimitState, names: ReadonlyMap<string, string>) {
    return {
      count: now.count,
      username: await nameOf(now, names),
      ...(now.clientDigest !== null && { client: clientOf(now.clientDigest) }),
      address: now.address,
      used: now.used,
      pending: now.pending,
      attempts: now.attempts,
      blocked_until: isoTimeOrNull(now.blockedUntil),
    }
  }

  function clientOf(digest: string): string | null {
    return clients.ids().find((id) => throttle.digestOf(id) === digest) ?? null
  }

  async function nameOf(
    { usernameDigest, userId }: LimitState,
    names: ReadonlyMap<string, string>,
  ): Promise<string | null> {
    if (userId !== null) return (await accounts.byUserId(userId))?.username ?? null
    return names.get(usernameDigest ?? '') ?? null
  }
}

function isoTimeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds)
}
