import { packageVersion } from '../../core/config/version.ts'
import { type Family, gauge } from '../../core/measurements/family.ts'
import type { Needs } from '../../core/module/services.ts'

export interface HeardService {
  /** Processes that answered the scrape. */
  readonly answered: number
  /** Processes that did not answer. */
  readonly silent: number
  readonly isDatabaseUp: boolean
}

/** Reported by one process for all. */
export function serviceFamilies(
  { config, measurements }: Pick<Needs, 'config' | 'measurements'>,
  { answered, isDatabaseUp, silent }: HeardService,
): Family[] {
  const until = measurements.certificate.validUntil()
  return [
    gauge('gatehouse_build_info', 'Always 1; the labels tell what runs.', [
      {
        value: 1,
        labels: {
          version: packageVersion(),
          node: process.versions.node,
          database: config.database.postgres ? 'postgresql' : 'sqlite',
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
    gauge(
      'gatehouse_database_up',
      'Whether the database answers and takes changes (1) or not (0).',
      [{ value: isDatabaseUp ? 1 : 0 }],
    ),
    gauge(
      'gatehouse_tls_certificate_expiry_timestamp_seconds',
      'When the certificate of TLS_CERT_FILE ends.',
      until === null ? [] : [{ value: until / 1000 }],
    ),
  ]
}
