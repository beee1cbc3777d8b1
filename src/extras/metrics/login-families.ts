import type { Measurements } from '../../core/measurements/measurements.ts'
import { counted, type Family, total } from './family.ts'
import type { RefusalCounts } from './refusal-counts.ts'

export interface LoginState {
  readonly measurements: Pick<Measurements, 'events' | 'refusalsLost' | 'sessionsEnded' | 'tokens'>
  readonly refusals: RefusalCounts
}

/** Logins, refusals, sessions and tokens, counted from events and refusals. */
export function loginFamilies({ measurements, refusals }: LoginState): Family[] {
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
