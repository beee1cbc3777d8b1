import { type Reason, reasonBy } from './guards.ts'

const forwardedRequest = reasonBy('forwarded request')
const forwardRule = reasonBy('forward rule')

/** Why a request to an application behind a proxy was refused: docs/forward-auth.md. */
export const forwardReasons = {
  forward_untrusted_peer: forwardedRequest(
    'The peer of the connection is no proxy of TRUST_PROXY, so what it tells of a request does not count.',
  ),
  forward_header_absent: forwardedRequest('The proxy has not sent this header.', 'header'),
  forward_header_invalid: forwardedRequest(
    'The header came twice, or has no valid value: a host as a browser writes it, http or https, a path in visible ASCII, a method in upper case.',
    'header',
  ),
  forward_method_override: forwardedRequest(
    'The request names another method for the application, which is not a valid one.',
  ),
  forward_path_differs: forwardedRequest(
    'The path that the proxy appended to the address of the route is not that of X-Forwarded-Uri.',
  ),
  forward_own_path: forwardedRequest(
    'The proxy asks about a path below /.gatehouse/ in place of giving it to this service, so that no sign-in can come back.',
    'host',
  ),
  forward_plain_http: forwardedRequest(
    'Who asks is looked at only over HTTPS, except on this machine: a cookie or password would be readable.',
    'host',
  ),
  forward_denied: forwardRule('A rule of FORWARD_AUTH_FILE denies it.', 'host', 'rule'),
  forward_no_rule: forwardRule('No rule of FORWARD_AUTH_FILE is for it.', 'host'),
  forward_ambiguous: forwardRule(
    'The spelling of the path, or a second method, could make the application read the request as one of another rule. A path with more than 200 escapes and semicolons is not read at all.',
    'host',
  ),
  forward_path_override: forwardRule(
    'A header names another path, which another rule covers, and the application could serve that path.',
    'host',
    'header',
  ),
  forward_no_account: forwardRule(
    'The token of the identity provider belongs to no account here, so the application could take its name for that of another.',
    'host',
  ),
  forward_second_factor: forwardRule(
    'The rule wants a login with a second factor, and this one was without.',
    'host',
    'rule',
    'user_id',
  ),
} as const satisfies Record<string, Reason>
