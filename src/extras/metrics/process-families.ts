import {
  counted,
  counter,
  type Family,
  gauge,
  histogram,
  total,
} from '../../core/measurements/family.ts'
import type { Measurements } from '../../core/measurements/measurements.ts'
import type { RefusalCounts } from './refusal-counts.ts'

export interface ProcessState {
  readonly measurements: Measurements
  readonly refusals: RefusalCounts
  /** Label of per-process gauges. */
  readonly worker: string
  /** See `ChangeFeed.lagMs`. */
  readonly feedLagSeconds: number
}

/** Core metrics that can be summed over workers. */
export function processFamilies(state: ProcessState): Family[] {
  return [
    ...requestFamilies(state),
    ...eventFamilies(state),
    ...databaseFamilies(state),
    ...jobFamilies(state),
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

function eventFamilies({ measurements: { events }, refusals }: ProcessState): Family[] {
  return [
    counted(
      'gatehouse_refusals_total',
      'Refused and failed requests by the name of the error that was answered.',
      ['error'],
      refusals.entries(),
    ),
    counted(
      'gatehouse_events_total',
      'Events by their name in the log and the audit log.',
      ['event'],
      events.entries(),
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
  const all = [...jobs] // no label `job`: Prometheus sets `job` itself
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
