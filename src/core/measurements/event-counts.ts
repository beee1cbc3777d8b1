import type { Measurements } from './measurements.ts'
import { accountWay, loginMethod, usesSecondFactor } from './series.ts'

/** What of an event is counted: see `RecordedEvent`. */
interface CountedEvent {
  readonly type: { readonly name: string }
  readonly payload: Readonly<Record<string, unknown>>
  readonly context: { readonly request: { readonly route: string | null } | null }
  readonly login?: { readonly factors?: readonly string[] }
}

const loginSuccesses: ReadonlySet<string> = new Set([
  'authn_login_success',
  'authn_login_successafterfail',
])

/** Counts an event by its name, and those of logins, sessions and tokens by more. */
export function countEvent(measurements: Measurements, event: CountedEvent): void {
  const { type, payload, context } = event
  const { events, loginsSucceeded, sessionsEnded, tokens } = measurements
  const { name } = type
  events.add([name])
  countForSeries(measurements, event)
  if (loginSuccesses.has(name)) loginsSucceeded.add([context.request?.route ?? 'none'])
  else if (name === 'authn_token_created') tokens.issued.add([String(payload.grant)])
  else if (name === 'authn_token_revoked') tokens.revoked.add([String(payload.reason)])
  else if (name === 'authn_token_reuse') {
    tokens.reused.add([payload.kind === 'access' ? 'access' : 'refresh'])
  } else if (name === 'audit_records_lost') measurements.auditRecordsLost += Number(payload.count)
  else if (name === 'session_ended') {
    sessionsEnded.add([String(payload.reason)], Number(payload.count ?? 1))
  }
}

/** Counts what the time series of statistics tell by more than the name of the event. */
function countForSeries({ series }: Measurements, { type, payload, context, login }: CountedEvent) {
  const { name } = type
  if (loginSuccesses.has(name)) {
    const factors = login?.factors ?? []
    series.add(['logins', loginMethod(factors), 'success'])
    series.add(['second_factor', usesSecondFactor(factors) ? 'yes' : 'no'])
  } else if (name === 'user_created') {
    if (payload.username === undefined) return // a user without an account
    const isOfProvider = payload.issuer !== undefined
    series.add(['accounts_created', accountWay(context.request?.route ?? null, isOfProvider)])
  } else if (name === 'sensitive_create' && payload.what === 'account_import') {
    series.add(['accounts_created', 'import'], Number(payload.count))
  } else if (name === 'authn_login_lock') series.add(['account_lockouts'])
  else if (name === 'session_created') series.add(['sessions_started'])
}
