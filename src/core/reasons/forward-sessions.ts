import { type Reason, reasonBy } from './guards.ts'

const session = reasonBy('session')

/** Why a session at the host of an application, or the ticket that begins one, was refused. */
export const forwardSessionReasons = {
  forward_session_malformed: session(
    'The value of the cookie at the host of the application has not the form of one of this service.',
  ),
  forward_session_unknown: session(
    'No session at a host of an application has the value of the cookie: its session has ended, or a later one took its place.',
  ),
  forward_session_other_host: session(
    'The cookie is of a session at the host of another application.',
  ),
  forward_ticket_unknown: session(
    'There is no such ticket: it was used before, its session has ended, or it never existed.',
  ),
  forward_ticket_late: session('The ticket came later than ten seconds after it was issued.'),
  forward_ticket_other_host: session('The ticket was issued for another host.', 'of', 'at'),
  forward_ticket_other_browser: session(
    'The ticket was issued for another browser: the cookie of the one that brought it is absent or another.',
  ),
  forward_ticket_session_ended: session('The session of the ticket has come to its timeout.'),
  forward_host_unknown: session('No rule of FORWARD_AUTH_FILE names this host.', 'origin'),
} as const satisfies Record<string, Reason>
