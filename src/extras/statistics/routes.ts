import { packageVersion } from '../../core/config/version.ts'
import { type App, Count, exactly, named, Text, Time } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Role } from '../../core/policy/principal.ts'
import { role } from '../../core/policy/rules.ts'

const counts = <const Name extends string>(...names: readonly Name[]) =>
  ({
    type: 'object',
    required: names,
    // one property for each name
    properties: Object.fromEntries(names.map((name) => [name, Count])) as Record<
      Name,
      typeof Count
    >,
    additionalProperties: false,
  }) as const

const statisticsSchema = (roles: readonly Role[]) =>
  named(
    'Statistics',
    exactly({
      version: Text,
      started_at: { ...Time, description: 'Of the process that answers' },
      uptime_seconds: Count,
      users: Count,
      accounts: exactly({
        total: Count,
        by_role: counts(...roles),
        locked: { ...Count, description: 'By an administrator' },
        disabled: Count,
        second_factor: Count,
        must_change: Count,
      }),
      posts: Count,
      sessions: { ...Count, description: 'Live ones' },
      blocked: {
        ...counts('logins', 'addresses', 'accounts'),
        description: 'Usernames at an address, addresses, and accounts by the automatic lock',
      },
    }),
    {
      version: '1.0.0',
      started_at: '2026-03-02T08:00:00.000Z',
      uptime_seconds: 5400,
      users: 8,
      accounts: {
        total: 7,
        by_role: Object.fromEntries(roles.map((name) => [name, 1])),
        locked: 0,
        disabled: 0,
        second_factor: 2,
        must_change: 1,
      },
      posts: 12,
      sessions: 3,
      blocked: { logins: 0, addresses: 0, accounts: 0 },
    },
  )

/** Statistics module: GET /api/admin/statistics, from stored counts and from indexes. */
export async function routes(
  app: App,
  { accounts, clock, config, lock, posts, sessions, throttle, users }: Needs,
): Promise<void> {
  const version = packageVersion()
  const startedAt = clock.now()
  let reading: ReturnType<typeof read> | undefined

  app.get(
    '/api/admin/statistics',
    {
      config: { access: { rule: role('ADMIN') } },
      schema: {
        operationId: 'getStatistics',
        summary: 'How much there is of everything',
        response: { 200: statisticsSchema(config.roles) },
      },
    },
    () => {
      // Callers that ask at the same time share one reading.
      reading ??= read().finally(() => {
        reading = undefined
      })
      return reading
    },
  )

  async function read() {
    const { total, byRole, locked, disabled, secondFactor, mustChange } = await accounts.tally()
    return {
      version,
      started_at: isoTime(startedAt),
      uptime_seconds: Math.floor((clock.now() - startedAt) / 1000),
      users: await users.count(),
      accounts: {
        total,
        by_role: byRole,
        locked,
        disabled,
        second_factor: secondFactor,
        must_change: mustChange,
      },
      posts: await posts.count(),
      sessions: await sessions.count(),
      blocked: {
        logins: await throttle.blocked('login'),
        addresses: await throttle.blocked('address'),
        accounts: await lock.count(),
      },
    }
  }
}
