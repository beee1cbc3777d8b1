/**
 * The registry of the reasons of refusals: what a code means, in a sentence for the operator, and
 * the facts that it has. A caller never learns a reason: many reasons share one error text, so that
 * the answer shows no account (docs/adr/0053). A code names one reason; codes are never renamed,
 * because programs of operators may read them. A room from outside names its own in its manifest.
 *
 * Times in facts (`..._at`, `until`, `frees_at`) are epoch milliseconds.
 */
export interface Reason {
  /** What has refused. */
  readonly guard: Guard
  readonly explanation: string
  readonly facts: readonly string[]
}

/** The parts of the service that refuse, in about the order in which a request meets them. */
export const guards = [
  'connection',
  'rate limit',
  'route',
  'credential',
  'session',
  'token',
  'password',
  'account',
  'login limit',
  'second factor',
  'cross-site protection',
  'access rule',
  'recent login',
  'resource',
  'body',
  'precondition',
  'identity provider',
  'service',
] as const
export type Guard = (typeof guards)[number]

const reason = <const Names extends readonly string[]>(
  guard: Guard,
  explanation: string,
  ...facts: Names
) => ({ guard, explanation, facts })

const counted = ['used', 'attempts', 'window_seconds', 'frees_at'] as const

export const reasons = {
  // Connection
  misshapen_request: reason(
    'connection',
    'The request has no valid Host, repeats a header that may be sent once, or has chunks in HTTP/1.0.',
  ),
  bad_url: reason('connection', 'The address of the request cannot be decoded.'),
  client_gone: reason(
    'connection',
    'The client closed the connection before the request or its answer was complete.',
  ),

  // Rate limit
  too_many_requests: reason(
    'rate limit',
    'The address has sent more requests than RATE_LIMIT_MAX allows in the window.',
    'requests',
    'max',
    'frees_at',
  ),

  // Route
  unknown_route: reason('route', 'No route has this method and path.'),
  unknown_route_of_group: reason(
    'route',
    'The path belongs to a group of routes, and no route of the group has it.',
  ),
  empty_parameter: reason('route', 'A parameter of the path is empty.'),
  unknown_asset: reason('route', 'The page has no file of this name.'),
  captchas_off: reason('route', 'Captchas are off: LOGIN_CAPTCHA_AFTER is 0.'),
  no_such_provider: reason('route', 'No identity provider of this name is configured for sign-in.'),

  // Credential
  no_credential: reason(
    'credential',
    'The request carries no credential of a scheme that the route accepts.',
    'accepted',
    'sent_scheme',
  ),
  basic_malformed: reason(
    'credential',
    'The Authorization header is no valid Basic credential: no Base64 of UTF-8 with a colon.',
  ),
  client_basic_malformed: reason(
    'credential',
    'The Authorization header is no valid Basic credential of a client.',
  ),
  unknown_client: reason('credential', 'CLIENTS_FILE has no client of this id.'),
  wrong_client_secret: reason(
    'credential',
    'The secret is not the one of this client in CLIENTS_FILE.',
    'client',
  ),
  caller_ended: reason(
    'credential',
    'The credential was good when the request began, and its session, token or account ended before the request was done.',
    'user_id',
    'scheme',
  ),
  no_caller_at_resource: reason(
    'credential',
    'The rule needs a caller for this resource, and the request has none.',
    'rule',
  ),
  session_expected: reason(
    'credential',
    'The route works on the session of the caller, who used another scheme.',
  ),

  // Session
  session_malformed: reason(
    'session',
    'The value of the session cookie has not the form of a session id of this service.',
  ),
  session_unknown: reason(
    'session',
    'No session has the value of the cookie: it ended by a logout, by another login or long ago, or never existed.',
  ),
  session_idle: reason(
    'session',
    'The session ended because it was idle for longer than SESSION_IDLE_SECONDS.',
    'user_id',
    'last_seen_at',
    'ended_at',
  ),
  session_too_old: reason(
    'session',
    'The session ended because it reached SESSION_ABSOLUTE_SECONDS.',
    'user_id',
    'created_at',
    'ended_at',
  ),
  session_ended_with_logins: reason(
    'session',
    'The session ended because all logins of the account were ended: a new password, a lock, a factor, or a sign-out everywhere.',
    'user_id',
    'ended_at',
  ),
  session_of_unusable_account: reason(
    'session',
    'The account of the session is locked by an administrator, or disabled.',
    'user_id',
  ),
  session_must_enrol: reason(
    'session',
    'A role of the account requires a second factor, so the session may only enrol one.',
    'user_id',
  ),
  session_absent: reason('session', 'The account has no session of this id.', 'user_id'),

  // Token
  token_malformed: reason(
    'token',
    'The token is no compact JWS: three canonical base64url segments with a JSON header, of at most 8 kB.',
  ),
  token_extension: reason(
    'token',
    'The header of the token has crit or b64, and no extension is supported.',
  ),
  token_unknown_key: reason(
    'token',
    'No key of the issuer has the kid of the token: the key was removed or is of another service.',
    'kid',
  ),
  token_wrong_algorithm: reason(
    'token',
    'The alg of the token is not the algorithm of its key.',
    'alg',
    'expected',
  ),
  token_bad_signature: reason(
    'token',
    'The signature does not match: the token was changed, or another key signed it.',
    'kid',
  ),
  token_payload_malformed: reason('token', 'The payload of the token is no JSON object.'),
  claim_type: reason(
    'token',
    'The claim type is not the one that the route accepts: for example a refresh token at a route for access tokens.',
    'type',
    'expected',
  ),
  claim_iss: reason('token', 'The claim iss is not the configured issuer.', 'iss', 'expected'),
  claim_sub: reason('token', 'The claim sub is no subject.'),
  claim_malformed: reason('token', 'A claim is missing or is not of its type.', 'claim'),
  claim_exp: reason(
    'token',
    'The token has expired (claim exp).',
    'user_id',
    'exp_at',
    'expired_seconds_ago',
  ),
  claim_nbf: reason(
    'token',
    'The token is not valid yet (claim nbf). Perhaps the clocks differ.',
    'user_id',
    'nbf_at',
    'valid_in_seconds',
  ),
  claim_iat: reason(
    'token',
    'The token was issued in the future (claim iat). Perhaps the clocks differ.',
    'user_id',
    'iat_at',
    'valid_in_seconds',
  ),
  claim_aud: reason(
    'token',
    'The claim aud does not contain the configured audience.',
    'aud',
    'expected',
  ),
  token_of_another_kind: reason(
    'token',
    'The token of the provider is no access token, or is bound to a key.',
    'user_id',
  ),
  token_revoked: reason('token', 'The token was revoked: its jti is on the deny-list.', 'user_id'),
  token_pair_ended: reason(
    'token',
    'The pair of the token has ended, by a logout, a revocation or the reuse of a refresh token.',
    'user_id',
  ),
  token_signed_out: reason(
    'token',
    'The account ended all its tokens since this one was issued: its ver is too low.',
    'user_id',
    'ver',
    'needed_ver',
  ),
  token_revoked_earlier: reason(
    'token',
    'The token is older than the log of revocations, and the tables say that it has ended.',
    'user_id',
  ),
  external_account_unusable: reason(
    'token',
    'The account that the identity is linked to is locked or disabled.',
    'user_id',
  ),
  refresh_token_absent: reason('token', 'The request carries no text as refresh_token.'),
  refresh_token_reused: reason(
    'token',
    'The refresh token was used before: the whole pair has ended now.',
    'user_id',
  ),
  refresh_token_revoked: reason('token', 'The refresh token was revoked.', 'user_id'),
  refresh_account_gone: reason(
    'token',
    'The account of the refresh token does not exist any more.',
    'user_id',
  ),

  // Password
  credentials_incomplete: reason('password', 'The request lacks a username or a password.'),
  username_invalid: reason(
    'password',
    'The text that was sent as username can be the name of no account.',
  ),
  no_such_account: reason('password', 'No account has the username that was sent.'),
  wrong_password: reason('password', 'The account exists, and the password is wrong.', 'user_id'),
  account_without_password: reason(
    'password',
    'The account exists and has no password: it logs in through an identity provider.',
    'user_id',
  ),
  password_change_absent: reason(
    'password',
    'The password was right; the account must set a new one, and new_password was not sent.',
    'user_id',
  ),

  // Account: the requirements, docs/access.txt
  account_locked: reason(
    'account',
    'An administrator has locked the account.',
    'user_id',
    'asked_of',
  ),
  account_disabled: reason(
    'account',
    'The account is disabled (active is false).',
    'user_id',
    'asked_of',
  ),
  account_locked_out: reason(
    'account',
    'The account is locked out after LOGIN_LOCK_AFTER failed logins in a row.',
    'user_id',
    'asked_of',
    'until',
  ),
  account_changed: reason(
    'account',
    'The account ended its logins since: a new password, a lock, a factor, or a sign-out everywhere.',
    'user_id',
    'asked_of',
  ),
  account_password_changed: reason(
    'account',
    'The password of the account was changed while the request was under way.',
    'user_id',
    'asked_of',
  ),
  account_needs_factor: reason(
    'account',
    'The account has a second factor, which this way to authenticate cannot prove.',
    'user_id',
    'asked_of',
  ),
  account_must_change_password: reason(
    'account',
    'The account must change its password first.',
    'user_id',
    'asked_of',
  ),
  account_must_enrol: reason(
    'account',
    'A role of the account requires a second factor (REQUIRE_SECOND_FACTOR), and it has none.',
    'user_id',
    'asked_of',
  ),
  account_gone: reason(
    'account',
    'The account was deleted while the request was under way.',
    'user_id',
  ),
  requirement_added: reason(
    'account',
    'The account got a further requirement while the login was under way.',
    'user_id',
    'requirement',
  ),
  enrolment_due: reason(
    'account',
    'The login was right; a role of the account requires a second factor, which must be enrolled first.',
    'user_id',
  ),

  // Login limit
  limit_username_address: reason(
    'login limit',
    'Too many failed logins of this username from this address (LOGIN_ATTEMPTS).',
    ...counted,
  ),
  limit_address: reason(
    'login limit',
    'Too many failed logins from this address (LOGIN_ADDRESS_ATTEMPTS).',
    ...counted,
  ),
  limit_second_factor: reason(
    'login limit',
    'Too many wrong codes of the second factor of this account.',
    ...counted,
    'user_id',
  ),
  limit_client: reason(
    'login limit',
    'Too many wrong secrets of this client from this address.',
    ...counted,
  ),
  limit_client_address: reason(
    'login limit',
    'Too many wrong secrets of clients from this address.',
    ...counted,
  ),
  captcha_absent: reason(
    'login limit',
    'After LOGIN_CAPTCHA_AFTER failures the login needs a solved captcha, and none was sent.',
    ...counted,
  ),
  captcha_wrong: reason(
    'login limit',
    'The captcha is wrong, has expired, or was used before.',
    ...counted,
  ),

  // Second factor
  second_factor_absent: reason(
    'second factor',
    'The account has a second factor, and no code was sent.',
    'user_id',
  ),
  second_factor_wrong: reason(
    'second factor',
    'The code of the authenticator is wrong, is not of this time, or was used before.',
    'user_id',
  ),
  recovery_code_wrong: reason(
    'second factor',
    'The recovery code is wrong, or was used before.',
    'user_id',
  ),
  enrolment_code_wrong: reason(
    'second factor',
    'The code does not confirm the enrolment: it is wrong, or no enrolment is under way.',
    'user_id',
  ),
  second_factor_removed: reason(
    'second factor',
    'The second factor was removed after it was proved.',
    'user_id',
  ),

  // Cross-site protection
  csrf_token_absent: reason(
    'cross-site protection',
    'The request changes something by a session, and carries no X-CSRF-Token.',
  ),
  csrf_token_other: reason(
    'cross-site protection',
    'X-CSRF-Token is not the token of this session.',
  ),
  cross_site_request: reason(
    'cross-site protection',
    'A page of another site, not in CORS_ORIGINS, sent the request with a credential of the browser.',
    'origin',
    'fetch_site',
  ),
  foreign_page: reason(
    'cross-site protection',
    'A page of another origin, not in CORS_ORIGINS, sent the request.',
    'origin',
    'fetch_site',
  ),

  // Access rule
  role_lacking: reason(
    'access rule',
    'The caller has none of the roles that the rule asks for.',
    'rule',
    'lacks',
    'roles',
  ),
  scope_lacking: reason(
    'access rule',
    'The token lacks a scope that the rule asks for.',
    'rule',
    'lacks',
  ),
  client_permission_lacking: reason(
    'access rule',
    'CLIENTS_FILE does not let this client do that.',
    'rule',
    'lacks',
  ),
  resource_rule: reason(
    'access rule',
    'The rule about the resource does not hold for this caller: not its owner, or it is locked, or of an ADMIN.',
    'rule',
    'lacks',
  ),
  resource_rule_now: reason(
    'access rule',
    'The resource changed while the request was under way, and the rule does not hold for it any more.',
  ),
  own_account_here: reason(
    'access rule',
    'An administrator changes the own password at /api/account/password, not here.',
    'user_id',
  ),
  author_needed: reason('access rule', 'The caller has no user here, who could be the author.'),
  author_gone: reason(
    'access rule',
    'The user of the caller was deleted while the request was under way.',
    'user_id',
  ),
  password_grant_off: reason(
    'access rule',
    'OIDC_PASSWORD_GRANT is off for this provider.',
    'provider',
  ),

  // Recent login
  login_too_old: reason(
    'recent login',
    'The login of the caller is older than REAUTHENTICATE_SECONDS, and this change asks for a recent one.',
    'user_id',
    'login_at',
    'max_age_seconds',
  ),

  // Resource
  resource_absent: reason(
    'resource',
    'The resource that the path names does not exist.',
    'resource',
  ),
  resource_gone: reason(
    'resource',
    'The resource was deleted while the request was under way.',
    'resource',
  ),
  no_own_account: reason(
    'resource',
    'The caller has no account: it is a client, or an identity that is linked to none.',
  ),
  no_own_user: reason(
    'resource',
    'The user of the account was deleted while the request was under way.',
    'user_id',
  ),
  no_such_identity: reason('resource', 'The account has no linked identity of this id.'),
  no_such_user: reason('resource', 'The body names a user who does not exist.'),
  unknown_refusal: reason(
    'resource',
    'No refusal of this id is kept: unknown, of another installation, older than 24 hours, or displaced by later ones of its address.',
  ),
  username_taken: reason('resource', 'Another account has this username.'),
  user_has_account: reason('resource', 'The user has an account already.', 'user_id'),
  identity_of_another: reason('resource', 'The identity is linked to another account.', 'user_id'),
  last_administrator: reason(
    'resource',
    'The change would leave no active account with the role ADMIN.',
    'user_id',
  ),

  // Body
  body_not_json: reason('body', 'The body is no valid JSON.'),
  body_empty: reason('body', 'The route wants a body, and none was sent.'),
  body_of_other_type: reason('body', 'The Content-Type of the body is none that the route reads.'),
  form_malformed: reason(
    'body',
    'The form has too many fields, a field twice, or escapes that are no UTF-8.',
  ),
  body_not_utf8: reason('body', 'The body is no UTF-8.'),
  body_length_invalid: reason(
    'body',
    'The Content-Length of the body is not valid, or not its length.',
  ),
  body_too_large: reason('body', 'The body is larger than the route allows.', 'limit_bytes'),
  body_too_slow: reason('body', 'The body did not arrive in time.'),
  body_cut: reason('body', 'The body ended before it was complete.'),
  schema_violated: reason('body', 'Fields of the body break the rules of the schema.', 'fields'),
  fields_absent: reason('body', 'Required fields of the body are absent or null.', 'fields'),
  field_refused: reason('body', 'A field breaks a rule.', 'field', 'message'),
  roles_unknown: reason('body', 'The list of roles has a name that is no role here.'),
  lines_refused: reason('body', 'Lines of the import are not acceptable.', 'errors'),

  // Precondition
  etag_differs: reason(
    'precondition',
    'If-Match names another version of the resource: it has changed since.',
  ),
  idempotency_key_reused: reason(
    'precondition',
    'The Idempotency-Key was used before with another body.',
  ),

  // Identity provider
  flow_cookie_absent: reason(
    'identity provider',
    'The browser returned without the cookie of a sign-in that it began here.',
  ),
  flow_unknown: reason(
    'identity provider',
    'No sign-in of this state and browser is under way: it expired, was used, or began elsewhere.',
  ),
  flow_of_another_issuer: reason(
    'identity provider',
    'The issuer of the provider was changed while the sign-in was under way.',
    'provider',
  ),
  flow_ticket_unknown: reason(
    'identity provider',
    'No sign-in waits for this code: it expired, was used, or began elsewhere.',
  ),
  linker_ended: reason(
    'identity provider',
    'The session or token that began the linking has ended.',
  ),
  provider_denied: reason(
    'identity provider',
    'The provider, or the user there, has denied the sign-in.',
    'detail',
  ),
  provider_answer_unacceptable: reason(
    'identity provider',
    'The answer of the provider is not acceptable.',
    'detail',
  ),
  provider_return_invalid: reason(
    'identity provider',
    'The browser returned with parameters that do not fit the sign-in.',
    'detail',
  ),
  provider_unreachable: reason('identity provider', 'The provider does not answer.', 'detail'),
  sign_up_off: reason(
    'identity provider',
    'The identity is linked to no account, and OIDC_SIGN_UP is off.',
    'provider',
  ),
  sign_up_without_email: reason(
    'identity provider',
    'A new account needs a valid e-mail address, which the provider does not state.',
    'issuer',
  ),
  sign_up_names_taken: reason(
    'identity provider',
    'All usernames that fit the new account are taken.',
    'issuer',
  ),
  too_many_sign_ins: reason(
    'identity provider',
    'Too many sign-ins through providers are under way.',
  ),

  // Service
  database_unavailable: reason('service', 'The database is locked, full or away.'),
  queue_full: reason('service', 'More work waits than the queue takes.', 'queue'),
  password_waited_too_long: reason(
    'service',
    'The password waited so long to be verified that its attempt could lapse.',
  ),
  bodies_hold_memory: reason(
    'service',
    'The bodies of the requests under way hold all the memory that they may.',
  ),
  large_answers_wait: reason('service', 'Too many large answers wait for their turn.'),
  shutting_down: reason('service', 'The service is shutting down.'),
  not_ready: reason(
    'service',
    'The service is not ready to serve: docs/health.md has a row for each cause.',
    'cause',
  ),
  import_given_up: reason('service', 'Another process took the import for dead and has ended it.'),
  deadline_passed: reason('service', 'The request took longer than its route allows.'),
  unexpected_failure: reason(
    'service',
    'The service failed: the log has the error under this request id.',
    'error',
  ),
} as const satisfies Record<string, Reason>

export type ReasonCode = keyof typeof reasons

type Table = { readonly [Code in ReasonCode]: (typeof reasons)[Code]['facts'][number] }

declare module '../kernel/errors.ts' {
  interface ReasonFacts extends Table {}
}
