import { type Reason, reasonBy } from './guards.ts'

const credential = reasonBy('credential')
const session = reasonBy('session')
const token = reasonBy('token')

/** Why the credential of a request was refused. */
export const credentialReasons = {
  no_credential: credential(
    'The request carries no credential of a scheme that the route accepts.',
    'accepted',
    'sent_scheme',
  ),
  basic_malformed: credential(
    'The Authorization header is no valid Basic credential: no Base64 of UTF-8 with a colon.',
  ),
  client_basic_malformed: credential(
    'The Authorization header is no valid Basic credential of a client.',
  ),
  unknown_client: credential('CLIENTS_FILE has no client of this id.'),
  wrong_client_secret: credential(
    'The secret is not the one of this client in CLIENTS_FILE.',
    'client',
  ),
  caller_ended: credential(
    'The credential was good when the request began, and its session, token or account ended before the request was done.',
    'user_id',
    'scheme',
  ),
  no_caller_at_resource: credential(
    'The rule needs a caller for this resource, and the request has none.',
    'rule',
  ),
  session_expected: credential(
    'The route works on the session of the caller, who used another scheme.',
  ),

  session_malformed: session(
    'The value of the session cookie has not the form of a session id of this service.',
  ),
  session_unknown: session(
    'No session has the value of the cookie: it ended by a logout, by another login or long ago, or never existed.',
  ),
  session_idle: session(
    'The session ended because it was idle for longer than SESSION_IDLE_SECONDS.',
    'user_id',
    'last_seen_at',
    'ended_at',
  ),
  session_too_old: session(
    'The session ended because it reached SESSION_ABSOLUTE_SECONDS.',
    'user_id',
    'created_at',
    'ended_at',
  ),
  session_ended_with_logins: session(
    'The session ended because all logins of the account were ended: a new password, a lock, a factor, or a sign-out everywhere.',
    'user_id',
    'ended_at',
  ),
  session_of_unusable_account: session(
    'The account of the session is locked by an administrator, or disabled.',
    'user_id',
  ),
  session_must_enrol: session(
    'A role of the account requires a second factor, so the session may only enrol one.',
    'user_id',
  ),
  session_absent: session('The account has no session of this id.', 'user_id'),

  token_malformed: token(
    'The token is no compact JWS: three canonical base64url segments with a JSON header, of at most 8 kB.',
  ),
  token_extension: token('The header of the token has crit or b64, and no extension is supported.'),
  token_unknown_key: token(
    'No key of the issuer has the kid of the token: the key was removed or is of another service.',
    'kid',
  ),
  token_wrong_algorithm: token(
    'The alg of the token is not the algorithm of its key.',
    'alg',
    'expected',
  ),
  token_bad_signature: token(
    'The signature does not match: the token was changed, or another key signed it.',
    'kid',
  ),
  token_payload_malformed: token('The payload of the token is no JSON object.'),
  claim_type: token(
    'The claim type is not the one that the route accepts: for example a refresh token at a route for access tokens.',
    'type',
    'expected',
  ),
  claim_iss: token('The claim iss is not the configured issuer.', 'iss', 'expected'),
  claim_sub: token('The claim sub is no subject.'),
  claim_malformed: token('A claim is missing or is not of its type.', 'claim'),
  claim_exp: token(
    'The token has expired (claim exp).',
    'user_id',
    'exp_at',
    'expired_seconds_ago',
  ),
  claim_nbf: token(
    'The token is not valid yet (claim nbf). Perhaps the clocks differ.',
    'user_id',
    'nbf_at',
    'valid_in_seconds',
  ),
  claim_iat: token(
    'The token was issued in the future (claim iat). Perhaps the clocks differ.',
    'user_id',
    'iat_at',
    'valid_in_seconds',
  ),
  claim_aud: token('The claim aud does not contain the configured audience.', 'aud', 'expected'),
  token_of_another_kind: token(
    'The token of the provider is no access token, or is bound to a key.',
    'user_id',
  ),
  token_revoked: token('The token was revoked: its jti is on the deny-list.', 'user_id'),
  token_pair_ended: token(
    'The pair of the token has ended, by a logout, a revocation or the reuse of a refresh token.',
    'user_id',
  ),
  token_signed_out: token(
    'The account ended all its tokens since this one was issued: its ver is too low.',
    'user_id',
    'ver',
    'needed_ver',
  ),
  token_revoked_earlier: token(
    'The token is older than the log of revocations, and the tables say that it has ended.',
    'user_id',
  ),
  external_account_unusable: token(
    'The account that the identity is linked to is locked or disabled.',
    'user_id',
  ),
  refresh_token_absent: token('The request carries no text as refresh_token.'),
  refresh_token_reused: token(
    'The refresh token was used before: the whole pair has ended now.',
    'user_id',
  ),
  refresh_token_revoked: token('The refresh token was revoked.', 'user_id'),
  refresh_account_gone: token(
    'The account of the refresh token does not exist any more.',
    'user_id',
  ),
} as const satisfies Record<string, Reason>
