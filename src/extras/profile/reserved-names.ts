/**
 * Registered claims of tokens, the standard claims of OpenID Connect, and the claims and account
 * fields of this service. RFC 7519 section 4.1, RFC 8693, RFC 9068, OpenID Connect Core section 5.1
 */
const reserved = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'],
  ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username'],
  ...['profile', 'picture', 'website', 'email', 'email_verified', 'gender', 'birthdate'],
  ...['zoneinfo', 'locale', 'phone_number', 'phone_number_verified', 'address', 'updated_at'],
  ...['azp', 'nonce', 'auth_time', 'at_hash', 'c_hash', 's_hash', 'acr', 'amr', 'sub_jwk', 'sid'],
  ...['cnf', 'act', 'may_act', 'scope', 'scopes', 'client_id', 'events', 'toe', 'txn', 'rid'],
  ...['roles', 'groups', 'entitlements', 'permissions', 'tenant_id', 'authorization_details'],
  ...['username', 'type', 'typ', 'ver', 'token_type', 'active', 'alg', 'kid'],
  ...['_claim_names', '_claim_sources', 'claims', 'verified_claims', 'vc', 'vp', 'nationalities'],
  ...['id', 'user', 'user_id', 'password', 'password_hash', 'must_change', 'locked', 'service'],
  ...['second_factor', 'created_at', 'deletion_at', 'language', 'account', 'constructor'],
  ...['csrf_token', 'flow', 'new_password', 'new_password_again', 'token', 'code'],
])

export function isReservedName(name: string): boolean {
  return reserved.has(name)
}
