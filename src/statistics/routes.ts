import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import type { AutomaticLock } from '../accounts/lock.ts'
import type { Config } from '../config/load.ts'
import { Integer, type SchemaTypes, Text, Time } from '../http/schemas.ts'
import { type Clock, isoTime } from '../kernel/clock.ts'
import type { Role } from '../kernel/principal.ts'
import { role } from '../policy/rules.ts'
import type { Posts } from '../posts/posts.ts'
import type { Sessions } from '../session/sessions.ts'
import type { ThrottleOverview } from '../throttle/overview.ts'
import type { Users } from '../users/users.ts'

/** Statistics room: GET /api/admin/statistics, from stored counts and from indexes. */
export interface StatisticsOptions {
  readonly accounts: Pick<Accounts, 'tally'>
  readonly clock: Clock
  readonly config: Pick<Config, 'roles'>
  readonly lock: Pick<AutomaticLock, 'count'>
  readonly posts: Pick<Posts, 'count'>
  readonly sessions: Pick<Sessions, 'count'>
  readonly throttle: Pick<ThrottleOverview, 'blocked'>
  readonly users: Pick<Users, 'count'>
}

const counts = <const Name extends string>(...names: readonly Name[]) =>
  ({
    type: 'object',
    required: names,
    // one property for each name
    properties: Object.fromEntries(names.map((name) => [name, Integer])) as Record<
      Name,
      typeof Integer
    >,
    additionalProperties: false,
  }) as const

const statisticsSchema = (roles: readonly Role[]) =>
  ({
    type: 'object',
    required: [
      'version',
      'started_at',
      'uptime_seconds',
      'users',
      'accounts',
      'posts',
      'sessions',
      'blocked',
    ],
    properties: {
      version: Text,
      started_at: { ...Time, description: 'Of the process that answers' },
      uptime_seconds: Integer,
      users: Integer,
      accounts: {
        type: 'object',
        required: ['total', 'by_role', 'locked', 'disabled', 'second_factor', 'must_change'],
        properties: {
          total: Integer,
          by_role: counts(...roles),
          locked: { type: 'integer', description: 'By an administrator' },
          disabled: Integer,
          second_factor: Integer,
          must_change: Integer,
        },
        additionalProperties: false,
      },
      posts: Integer,
      sessions: { type: 'integer', description: 'Live ones' },
      blocked: {
        ...counts('logins', 'addresses', 'accounts'),
        description: 'Usernames at an address, addresses, and accounts by the automatic lock',
      },
    },
    additionalProperties: false,
  }) as const

export async function statisticsRoutes(
  instance: FastifyInstance,
  { accounts, clock, config, lock, posts, sessions, throttle, users }: StatisticsOptions,
): Promise<void> {
  const version = readVersion()
  const startedAt = clock.now()

  instance.withTypeProvider<SchemaTypes>().get(
    '/api/admin/statistics',
    {
      config: { access: { rule: role('ADMIN') } },
      schema: {
        operationId: 'getStatistics',
        summary: 'How much there is of everything',
        response: { 200: statisticsSchema(config.roles) },
      },
    },
    async () => {
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
    },
  )
}

/** Reads the version from package.json, two folders up in the sources and when compiled. */
function readVersion(): string {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return String(version)
}
