import { type Reason, reasonBy } from './guards.ts'

const crossSiteProtection = reasonBy('cross-site protection')
const accessRule = reasonBy('access rule')
const resource = reasonBy('resource')

/** Why an authenticated caller was refused: origin, rule, state of the resource. */
export const accessReasons = {
  csrf_token_absent: crossSiteProtection(
    'The request changes something by a session, and carries no X-CSRF-Token.',
  ),
  csrf_token_other: crossSiteProtection('X-CSRF-Token is not the token of this session.'),
  cross_site_request: crossSiteProtection(
    'A page of another site, not in CORS_ORIGINS, sent the request with a credential of the browser.',
    'origin',
    'fetch_site',
  ),
  foreign_page: crossSiteProtection(
    'A page of another origin, not in CORS_ORIGINS, sent the request.',
    'origin',
    'fetch_site',
  ),

  role_lacking: accessRule(
    'The caller has none of the roles that the rule asks for.',
    'rule',
    'lacks',
    'roles',
  ),
  console_address: accessRule('CONSOLE_ADDRESSES does not hold the address of the client.'),
  scope_lacking: accessRule('The token lacks a scope that the rule asks for.', 'rule', 'lacks'),
  client_permission_lacking: accessRule(
    'CLIENTS_FILE does not let this client do that.',
    'rule',
    'lacks',
  ),
  resource_rule: accessRule(
    'The rule about the resource does not hold for this caller: not its owner, or it is locked, or of an ADMIN.',
    'rule',
    'lacks',
  ),
  resource_rule_now: accessRule(
    'The resource changed while the request was under way, and the rule does not hold for it any more.',
  ),
  own_account_here: accessRule(
    'An administrator changes the own password at /api/account/password, not here.',
    'user_id',
  ),
  author_needed: accessRule('The caller has no user here, who could be the author.'),
  author_gone: accessRule(
    'The user of the caller was deleted while the request was under way.',
    'user_id',
  ),
  password_grant_off: accessRule('OIDC_PASSWORD_GRANT is off for this provider.', 'provider'),

  no_such_webhook_delivery: resource('There is no delivery of this id.'),
  webhook_disabled: resource('Nothing is sent to the endpoint, which is not enabled.', 'state'),
  no_such_mail: resource('There is no mail of this id.'),
  mail_closed: resource('The mail was sent, is being sent, or has ended.', 'state'),
  no_such_key: resource('The key set has no key of this id that verifies.'),
  key_signs: resource('The key signs, or does until its successor does.', 'detail'),
  key_not_replaced: resource(
    'The operator has configured the key, or no key of the algorithm signs here.',
    'detail',
  ),
  resource_absent: resource('The resource that the path names does not exist.', 'resource'),
  resource_gone: resource('The resource was deleted while the request was under way.', 'resource'),
  no_own_account: resource(
    'The caller has no account: it is a client, or an identity that is linked to none.',
  ),
  no_own_user: resource(
    'The user of the account was deleted while the request was under way.',
    'user_id',
  ),
  no_second_factor: resource('The account has no second factor.', 'user_id'),
  no_such_identity: resource('The account has no linked identity of this id.'),
  no_such_user: resource('The body names a user who does not exist.'),
  unknown_refusal: resource(
    'No refusal of this id is kept: unknown, of another installation, older than 24 hours, or displaced by later ones of its address.',
  ),
  username_taken: resource('Another account has this username.'),
  user_has_account: resource('The user has an account already.', 'user_id'),
  identity_of_another: resource('The identity is linked to another account.', 'user_id'),
  email_of_another: resource('Another account has verified the same mail address.', 'user_id'),
  email_not_verified: resource('The account has no verified mail address.', 'user_id'),
  last_administrator: resource(
    'The change would leave no active account with the role ADMIN.',
    'user_id',
  ),
} as const satisfies Record<string, Reason>
