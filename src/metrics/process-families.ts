import type { Measurements } from '../measurements/measurements.ts'
import { counted, counter, type Family, gauge, histogram, total } from './family.ts'
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

/** How far behind the evidence of the audit log is. */
export interface AuditLag {
  /** The age of the oldest record that no checkpoint covers yet. */
  readonly uncoveredMs: number
  /** For each sink outside, the age of the oldest checkpoint that it lacks. */
  readonly sinks: readonly { readonly name: string; readonly unsentMs: number }[]
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

function loginFamilies({ measurements, refusals }: ProcessState): Family[] {
  const { events, sessionsEnded, tokens } = measurements
  const seen = new Map(events.entries().map(({ values: [name = ''], count }) => [name, count]))
  const of = (name: string) => seen.get(name) ?? 0
  return [
    counted(
      'gatehouse_logins_total',
      'Logins by method, result (success, refused), and the refusal; steps such as a code that is asked for count as refused.',
      ['method', 'result', 'reason'],
      refusals.logins(),
    ),
    counted(
      'gatehouse_throttled_total',
      'Requests that a rate limit refused: of logins and clients ("login"), or the general one ("requests").',
      ['limit'],
      refusals.throttled(),
    ),
    counted(
      'gatehouse_refusals_total',
      'Refused and failed requests by the name of the error that was answered.',
      ['error'],
      refusals.errors(),
    ),
    total(
      'gatehouse_refusals_unexplained_total',
      'Refusals whose reason was not kept for `gatehouse explain`, because too many came at once.',
      measurements.refusalsLost,
    ),
    total(
      'gatehouse_account_lockouts_total',
      'Accounts that were locked because too many logins failed in a row.',
      of('authn_login_lock'),
    ),
    total(
      'gatehouse_second_factor_failures_total',
      'Wrong codes and recovery codes.',
      of('mfa_fail'),
    ),
    total('gatehouse_sessions_started_total', 'Sessions that began.', of('session_created')),
    counted(
      'gatehouse_sessions_ended_total',
      'Sessions that were ended, by reason; those that expired are not counted.',
      ['reason'],
      sessionsEnded.entries(),
    ),
    counted(
      'gatehouse_tokens_issued_total',
      'Access tokens that were issued, by a login or a refresh.',
      ['grant'],
      tokens.issued.entries(),
    ),
    counted(
      'gatehouse_tokens_revoked_total',
      'Tokens that were revoked one by one, by reason.',
      ['reason'],
      tokens.revoked.entries(),
    ),
    counted(
      'gatehouse_token_reuse_total',
      'Tokens that came again after their end: a refresh token after its replacement is a sign of theft.',
      ['kind'],
      tokens.reused.entries(),
    ),
    counted(
      'gatehouse_events_total',
      'Events by their name in the log and the audit log.',
      ['event'],
      events.entries(),
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

/** `file:/data/audit.jsonl` as `file:audit.jsonl`. */
function withoutFolder(name: string): string {
  return name.replace(/^file:.*\//, 'file:')
}
