import type { Measurements } from './measurements.ts'

/** What of an event is counted: see `RecordedEvent`. */
interface CountedEvent {
  readonly type: { readonly name: string }
  readonly payload: Readonly<Record<string, unknown>>
  readonly context: { readonly request: { readonly route: string | null } | null }
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
