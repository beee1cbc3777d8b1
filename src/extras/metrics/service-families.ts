import type { Config } from '../../core/config/load.ts'
import { packageVersion } from '../../core/config/version.ts'
import type { Measurements } from '../../core/measurements/measurements.ts'
import type { Sessions } from '../../modules/sessions/sessions.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { WebhookStats } from '../webhooks/stats.ts'
import { boundedCount } from './bounded-count.ts'
import { type Family, gauge } from './family.ts'

/** What one process of several tells for all of them. */
export interface ServiceDeps {
  readonly assertDatabaseServes: () => Promise<void>
  readonly config: Pick<Config, 'database'>
  readonly measurements: Pick<Measurements, 'certificate'>
  readonly sessions: Pick<Sessions, 'count'>
  /** The backups that the service makes by itself; their health is null if it makes none. */
  readonly backups?: {
    health(): Promise<{
      readonly ageSeconds: number | null
      readonly everySeconds: number
      readonly failures: number
    } | null>
  }
  /** What sends mail. */
  readonly mailer?: Pick<Mailer, 'oldestWaitingSeconds'>
  readonly webhookStats?: WebhookStats
}

/** How many processes of the service answered the scrape, and how many did not. */
export interface PolledProcesses {
  readonly answered: number
  readonly silent: number
}

/** Makes what tells the state of the service as it is now, of which the database is asked. */
export function createServiceFamilies(
  deps: ServiceDeps,
): (processes: PolledProcesses) => Promise<Family[]> {
  const count = boundedCount(() => deps.sessions.count())
  const webhooks = boundedCount(() => webhookState(deps.webhookStats))
  return async ({ answered, silent }) => {
    const until = deps.measurements.certificate.validUntil()
    return [
      gauge('gatehouse_build_info', 'Always 1; the labels tell what runs.', [
        {
          value: 1,
          labels: {
            version: packageVersion(),
            node: process.versions.node,
            database: deps.config.database.postgres ? 'postgresql' : 'sqlite',
          },
        },
      ]),
      gauge('gatehouse_workers', 'Processes of this service that have answered.', [
        { value: answered },
      ]),
      gauge(
        'gatehouse_workers_silent',
        'Processes of this service that did not answer the scrape: their gauges are left out, and their counters are those of their last answer.',
        [{ value: silent }],
      ),
      ...(await databaseFamilies(deps, count)),
      await mailFamily(deps),
      ...webhookFamilies(await webhooks().catch(() => null)),
      ...(await backupFamilies(deps)),
      gauge(
        'gatehouse_tls_certificate_expiry_timestamp_seconds',
        'When the certificate of TLS_CERT_FILE ends.',
        until === null ? [] : [{ value: until / 1000 }],
      ),
    ]
  }
}

/** How long the oldest mail waits; nothing if the database cannot say. */
async function mailFamily({ mailer }: ServiceDeps): Promise<Family> {
  const seconds = await mailer?.oldestWaitingSeconds().catch(() => null)
  return gauge(
    'gatehouse_mail_oldest_waiting_seconds',
    'Age of the oldest mail that is not sent yet; 0 if none waits.',
    typeof seconds === 'number' ? [{ value: seconds }] : [],
  )
}

async function webhookState(stats: WebhookStats | undefined) {
  if (!stats) return null
  return { waiting: await stats.oldestWaitingSeconds(), endpoints: await stats.endpoints() }
}

/** Nothing if the database cannot say. */
function webhookFamilies(state: Awaited<ReturnType<typeof webhookState>>): Family[] {
  const { endpoints = {}, waiting = {} } = state ?? {}
  return [
    gauge(
      'gatehouse_webhook_oldest_waiting_seconds',
      'Age of the oldest event that an enabled endpoint is still to get, 0 if none waits: of endpoints that answer, and of those that have failed since they last took something.',
      Object.entries<number>(waiting).map(([kind, value]) => ({
        value,
        labels: { endpoints: kind },
      })),
    ),
    gauge(
      'gatehouse_webhook_endpoints',
      'Endpoints of webhooks by state: "failed" ones were disabled because they took nothing.',
      Object.entries<number>(endpoints).map(([name, value]) => ({
        value,
        labels: { state: name },
      })),
    ),
  ]
}

/** Without BACKUP_DIR, or while the database cannot say, no values. */
async function backupFamilies({ backups }: ServiceDeps): Promise<Family[]> {
  const health = (await backups?.health().catch(() => null)) ?? null
  const values = (value: number | null | undefined) =>
    typeof value === 'number' ? [{ value }] : []
  return [
    gauge(
      'gatehouse_backup_age_seconds',
      'Age of the newest backup that the service has made by itself; absent if there is none.',
      values(health?.ageSeconds),
    ),
    gauge(
      'gatehouse_backup_interval_seconds',
      'BACKUP_EVERY_HOURS; absent where the service makes no backups by itself.',
      values(health?.everySeconds),
    ),
    gauge(
      'gatehouse_backup_failed_attempts',
      'Attempts to make a backup that have failed since the newest one.',
      values(health?.failures),
    ),
  ]
}

/** An unavailable database is told as such, and its counts are left out. */
async function databaseFamilies(
  { assertDatabaseServes }: ServiceDeps,
  count: () => Promise<number>,
): Promise<Family[]> {
  const live = await assertDatabaseServes()
    .then(count)
    .catch(() => null)
  return [
    gauge(
      'gatehouse_database_up',
      'Whether the database answers and takes changes (1) or not (0).',
      [{ value: live === null ? 0 : 1 }],
    ),
    gauge(
      'gatehouse_sessions_live',
      'Sessions that have neither ended nor expired, of all nodes on this database.',
      live === null ? [] : [{ value: live }],
    ),
  ]
}
