import type { Logger } from 'pino'
import type { Config } from '../../core/config/load.ts'
import type { Database } from '../../core/database/database.ts'
import { DatabaseUnavailable } from '../../core/database/errors.ts'
import { latestSchema, schemaVersion } from '../../core/database/migrate.ts'
import { type Clock, isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import type { Workers } from '../../core/workers/workers.ts'
import type { AutomaticLock } from '../../modules/accounts/lock.ts'
import type { Readiness } from '../../modules/health/readiness.ts'
import type { ThrottleOverview } from '../../modules/throttle/overview.ts'
import type { Backups } from '../backup/runs.ts'
import type { MailAdmin } from '../mail/mail-admin.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { StatisticSeries } from '../statistics/series.ts'
import type { WebhookStats } from '../webhooks/stats.ts'
import type { JobStates } from './job-states.ts'
import { type StatusPart, statusParts } from './schemas.ts'

export interface StatusDeps {
  readonly backups: Pick<Backups, 'health'>
  readonly clock: Clock
  readonly config: Pick<Config, 'baseUrl' | 'database' | 'inForce' | 'mail'>
  readonly db: Database
  readonly jobStates: JobStates
  readonly lock: Pick<AutomaticLock, 'count'>
  readonly log: Pick<Logger, 'error'>
  readonly mailAdmin: Pick<MailAdmin, 'count'>
  readonly mailer: Pick<Mailer, 'oldestWaitingSeconds' | 'trouble'>
  readonly readiness: Pick<Readiness, 'check' | 'warnings'>
  readonly statisticSeries: Pick<StatisticSeries, 'unusual'>
  readonly throttle: Pick<ThrottleOverview, 'blocked'>
  readonly webhookStats: WebhookStats
  readonly workers: Pick<Workers, 'count'>
}

type Makers = ReturnType<typeof makersOf>
type Parts = { [Part in StatusPart]: Awaited<ReturnType<Makers[Part]>> | null }
type Unknown = { part: StatusPart; reason: 'database' | 'late' | 'fault' }

/** Longer than the database may take: the page that shows this asks again. */
const maxMs = 5_000

/** Reads all parts, each by itself: what is broken is null, and said to be. */
export async function readParts(deps: StatusDeps): Promise<Parts & { unknown: Unknown[] }> {
  const makers = makersOf(deps)
  const unknown: Unknown[] = []
  const read = statusParts.map(async (part) => {
    const reading: Promise<unknown> = makers[part]()
    const late = new AbortController()
    try {
      const value = await Promise.race([
        reading,
        deps.clock.wait(maxMs, late.signal).then(() => tooLate),
      ])
      if (value !== tooLate) return [part, value] as const
      unknown.push({ part, reason: 'late' })
    } catch (error) {
      const isAway = error instanceof DatabaseUnavailable
      if (!isAway) deps.log.error({ err: error, part }, 'a part of the status could not be read')
      unknown.push({ part, reason: isAway ? 'database' : 'fault' })
    } finally {
      late.abort()
      reading.catch(() => {})
    }
    return [part, null] as const
  })
  return { ...(Object.fromEntries(await Promise.all(read)) as Parts), unknown } // of makers
}

const tooLate = Symbol('too late')

function makersOf(deps: StatusDeps) {
  const { backups, config, db, jobStates, lock, mailAdmin, mailer, readiness } = deps
  const { statisticSeries, throttle, webhookStats } = deps
  return {
    async readiness() {
      const reason = await readiness.check()
      return { ready: reason === null, reason, warnings: await readiness.warnings() }
    },
    schema: async () => ({ version: await schemaVersion(db), latest: latestSchema }),
    async mail() {
      const trouble = mailer.trouble()
      return {
        enabled: config.mail.isOn,
        server: config.mail.server !== undefined,
        waiting: await mailAdmin.count({ state: 'waiting' }),
        failed: await mailAdmin.count({ state: 'failed' }),
        oldest_waiting_seconds: await mailer.oldestWaitingSeconds(),
        trouble: trouble && { since: isoTime(trouble.since), response: trouble.response },
      }
    },
    async webhooks() {
      const { answering, failing } = await webhookStats.oldestWaitingSeconds()
      return {
        ...(await webhookStats.endpoints()),
        oldest_waiting_seconds: answering,
        oldest_waiting_failing_seconds: failing,
      }
    },
    async jobs() {
      const jobs = await jobStates.read()
      return jobs.map((job) => ({
        name: job.name,
        every_seconds: job.everyMs / 1000,
        last_run_at: isoTimeOrNull(job.lastRunAt),
        last_success_at: isoTimeOrNull(job.lastSuccessAt),
        last_failure_at: isoTimeOrNull(job.lastFailureAt),
        failures: job.failures,
        result: job.result,
        overdue: job.isOverdue,
      }))
    },
    async backups() {
      const health = await backups.health()
      return {
        enabled: health !== null,
        last_at: isoTimeOrNull(health?.lastAt ?? null),
        age_seconds: health?.ageSeconds ?? null,
        every_seconds: health?.everySeconds ?? null,
        failures: health?.failures ?? 0,
        detail: health?.detail ?? null,
        warning: health?.warning ?? null,
      }
    },
    throttled: async () => ({
      logins: await throttle.blocked('login'),
      addresses: await throttle.blocked('address'),
      accounts: await lock.count(),
    }),
    unusual: () => statisticSeries.unusual(),
  } satisfies Record<StatusPart, () => Promise<unknown>>
}
