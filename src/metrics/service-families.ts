import type { Config } from '../config/load.ts'
import { packageVersion } from '../config/version.ts'
import type { Measurements } from '../measurements/measurements.ts'
import type { Sessions } from '../session/sessions.ts'
import { type Family, gauge } from './family.ts'

/** What one process of several tells for all of them. */
export interface ServiceDeps {
  readonly assertDatabaseServes: () => Promise<void>
  readonly config: Pick<Config, 'database'>
  readonly measurements: Pick<Measurements, 'certificate'>
  readonly sessions: Pick<Sessions, 'count'>
}

/** The state of the service as it is now, of which the database is asked. */
export async function serviceFamilies(deps: ServiceDeps, workers: number): Promise<Family[]> {
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
      { value: workers },
    ]),
    ...(await databaseFamilies(deps)),
    gauge(
      'gatehouse_tls_certificate_expiry_timestamp_seconds',
      'When the certificate of TLS_CERT_FILE ends.',
      until === null ? [] : [{ value: until / 1000 }],
    ),
  ]
}

/** An unavailable database is told as such, and its counts are left out. */
async function databaseFamilies({
  assertDatabaseServes,
  sessions,
}: ServiceDeps): Promise<Family[]> {
  const live = await assertDatabaseServes()
    .then(() => sessions.count())
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
