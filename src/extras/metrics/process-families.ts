import type { Measurements } from '../../core/measurements/measurements.ts'
import type { AuditLag } from '../../modules/audit/proof.ts'
import { counted, counter, type Family, gauge, histogram, total } from './family.ts'
import { loginFamilies } from './login-families.ts'
import type { RefusalCounts } from './refusal-counts.ts'

export interface ProcessState {
  readonly measurements: Measurements
  readonly refusals: RefusalCounts
  /** The index of the worker, as its label; gauges of one process carry it. */
  readonly worker: string
  /** See `ChangeFeed.lagMs`. */
  readonly feedLagSeconds: number
  /** Null without an audit log. */
  readonly auditLag: AuditLag | null
}

/** What one process has measured, as metrics of which those of several workers can be summed. */
export function processFamilies(state: ProcessState): Family[] {
  return [
    ...requestFamilies(state),
    ...loginFamilies(state),
    ...hashingFamilies(state),
    ...databaseFamilies(state),
    ...jobFamilies(state),
    ...auditFamilies(state),
    ...mailFamilies(state),
    ...webhookFamilies(state),
    ...forwardFamilies(state),
  ]
}

function requestFamilies({ measurements: { requests }, worker }: ProcessState): Family[] {
  const all = [...requests.entries()]
  return [
    counter(
      'gatehouse_http_requests_total',
      'Answered requests by the pattern of the route, method and status; "aborted": the client left before the answer.',
      all.flatMap(([route, method, { statuses }]) =>
        [...statuses].map(([status, { count }]) => ({
          value: count,
          labels: { route, method, status: String(status) },
        })),
      ),
    ),
    histogram(
      'gatehouse_http_request_duration_seconds',
      'Time from the header of a request to the end of its answer.',
      all.map(([route, method, { durations }]) => ({
        histogram: durations,
        labels: { route, method },
      })),
    ),
    gauge('gatehouse_http_requests_in_flight', 'Requests under way.', [
      { value: requests.inFlight, labels: { worker } },
    ]),
    counted(
      'gatehouse_http_unrouted_requests_total',
      'Requests that were refused before a route was looked for: malformed, too slow, of an unknown method.',
      ['status'],
      requests.unrouted.entries(),
    ),
  ]
}

/** Each worker reads the file; those that have not seen a change yet differ for a second. */
function forwardFamilies({ measurements: { forward, forwardFile } }: ProcessState): Family[] {
  const state = forwardFile?.()
  return [
    counter(
      'gatehouse_forward_decisions_total',
      'Requests to applications about which a proxy asked, by answer: "bypass" is allowed without a look at the caller, "sign_in" sends a person to the sign-in.',
      Object.entries(forward).map(([answer, value]) => ({ value, labels: { answer } })),
    ),
    gauge(
      'gatehouse_forward_rules',
      'Rules of FORWARD_AUTH_FILE in force.',
      state ? [{ value: state.rules }] : [],
      'max',
    ),
    gauge(
      'gatehouse_forward_file_broken',
      'Whether FORWARD_AUTH_FILE has mistakes (1), so that the rules before stay in force, or not (0).',
      state ? [{ value: state.isBroken ? 1 : 0 }] : [],
      'max',
    ),
  ]
}

function hashingFamilies({ measurements: { hashing }, worker }: ProcessState): Family[] {
  const { durations, refused, waits } = hashing
  const { running = 0, waiting = 0, maxWaiting = 0 } = hashing.queue?.() ?? {}
  const labels = { worker }
  return [
    histogram(
      'gatehouse_password_hash_duration_seconds',
      'Time to compute the hash of a password, without the wait for its turn.',
      [{ histogram: durations }],
    ),
    histogram('gatehouse_password_hash_wait_seconds', 'Time that a hash waited for its turn.', [
      { histogram: waits },
    ]),
    gauge('gatehouse_password_hashes_running', 'Hashes under way.', [{ value: running, labels }]),
    gauge('gatehouse_password_hashes_waiting', 'Hashes that wait for their turn.', [
      { value: waiting, labels },
    ]),
    gauge(
      'gatehouse_password_hashes_waiting_max',
      'How many hashes may wait; a further one is refused with 503.',
      [{ value: maxWaiting, labels }],
    ),
    total(
      'gatehouse_password_hashes_refused_total',
      'Hashes that were refused because too many waited, or for too long.',
      refused,
    ),
  ]
}

function databaseFamilies({ measurements, worker, feedLagSeconds }: ProcessState): Family[] {
  const { commits, failures, pool, statements, waits } = measurements.database
  const { busy = 0, idle = 0, max = 0, waiting = 0 } = pool?.() ?? {}
  return [
    histogram(
      'gatehouse_database_statement_duration_seconds',
      'Time of a statement of the database, until its answer.',
      [{ histogram: statements }],
    ),
    histogram(
      'gatehouse_database_commit_duration_seconds',
      'Time of a commit until its changes are stored; on SQLite, with the wait for the disk.',
      [{ histogram: commits }],
    ),
    histogram(
      'gatehouse_database_wait_seconds',
      'Time that a statement or a transaction waited for a connection; on SQLite, for its turn to write.',
      [{ histogram: waits }],
    ),
    gauge(
      'gatehouse_database_connections',
      'Connections by state (busy, idle); on SQLite, the one that writes.',
      [
        { value: busy, labels: { worker, state: 'busy' } },
        { value: idle, labels: { worker, state: 'idle' } },
      ],
    ),
    gauge('gatehouse_database_connections_max', 'The most connections that are opened.', [
      { value: max, labels: { worker } },
    ]),
    gauge('gatehouse_database_waiting', 'What waits for a connection now.', [
      { value: waiting, labels: { worker } },
    ]),
    total(
      'gatehouse_database_failures_total',
      'Statements and waits that failed because the database was not available.',
      failures,
    ),
    gauge(
      'gatehouse_revocation_feed_lag_seconds',
      'How long this process may not know of revocations on other nodes; while it does not know, it reads the database.',
      [{ value: feedLagSeconds, labels: { worker } }],
    ),
  ]
}

function jobFamilies({ measurements: { jobs } }: ProcessState): Family[] {
  const all = [...jobs] // not by a label `job`, which Prometheus gives to what it scrapes
  return [
    counter(
      'gatehouse_job_runs_total',
      'Runs of jobs beside the requests, by result (success, failure).',
      all.flatMap(([job_name, { succeeded, failed }]) => [
        { value: succeeded, labels: { job_name, result: 'success' } },
        { value: failed, labels: { job_name, result: 'failure' } },
      ]),
    ),
    histogram(
      'gatehouse_job_duration_seconds',
      'Time of a run of a job.',
      all.map(([job_name, { durations }]) => ({ histogram: durations, labels: { job_name } })),
    ),
    gauge(
      'gatehouse_job_last_success_timestamp_seconds',
      'When a job last ran to its end.',
      all.flatMap(([job_name, { lastSuccessAt }]) =>
        lastSuccessAt === null ? [] : [{ value: lastSuccessAt / 1000, labels: { job_name } }],
      ),
      'max',
    ),
  ]
}

function auditFamilies({ auditLag, measurements, worker }: ProcessState): Family[] {
  const { uncoveredMs, sinks } = auditLag ?? { uncoveredMs: 0, sinks: [] }
  const lags = [
    { sink: 'checkpoint', ms: uncoveredMs },
    ...sinks.map(({ name, unsentMs }) => ({ sink: withoutFolder(name), ms: unsentMs })),
  ]
  return [
    gauge(
      'gatehouse_audit_lag_seconds',
      'Age of the oldest record of the audit log that no checkpoint covers ("checkpoint"), or that a sink outside lacks.',
      auditLag ? lags.map(({ sink, ms }) => ({ value: ms / 1000, labels: { worker, sink } })) : [],
      'max',
    ),
    total(
      'gatehouse_audit_records_lost_total',
      'Events without a change that were not recorded, because too many waited for the database.',
      measurements.auditRecordsLost,
    ),
  ]
}

function mailFamilies({ measurements: { mails, relay }, worker }: ProcessState): Family[] {
  const takesMail = relay.takesMail?.() ?? null
  return [
    counted(
      'gatehouse_mails_total',
      'Mails by result: sent, deferred (to be tried again), failed, expired, cancelled.',
      ['result'],
      mails.entries(),
    ),
    gauge(
      'gatehouse_mail_relay_up',
      'Whether the mail server took the last mail (1) or takes none (0).',
      takesMail === null ? [] : [{ value: takesMail ? 1 : 0, labels: { worker } }],
    ),
  ]
}

function webhookFamilies({ measurements: { webhooks } }: ProcessState): Family[] {
  return [
    counted(
      'gatehouse_webhook_deliveries_total',
      'Messages to webhooks by result: delivered, deferred (to be tried again), failed (given up), cancelled.',
      ['result'],
      webhooks.entries(),
    ),
  ]
}

/** `file:/data/audit.jsonl` as `file:audit.jsonl`. */
function withoutFolder(name: string): string {
  return name.replace(/^file:.*\//, 'file:')
}
