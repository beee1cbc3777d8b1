import { type Reason, reasonBy } from './guards.ts'

const identityProvider = reasonBy('identity provider')
const service = reasonBy('service')

/** Why the service, or an identity provider that it asks, did not serve a request. */
export const serviceReasons = {
  flow_cookie_absent: identityProvider(
    'The browser returned without the cookie of a sign-in that it began here.',
  ),
  proof_not_fresh: identityProvider(
    'A sign-in at the provider that was to prove a person was older than the request for it, or its ID token has no auth_time.',
    'user_id',
    'provider',
  ),
  proof_of_another_identity: identityProvider(
    'A sign-in at the provider that was to prove a person was by an identity that is not linked to the account.',
    'user_id',
    'provider',
  ),
  flow_unknown: identityProvider(
    'No sign-in of this state and browser is under way: it expired, was used, or began elsewhere.',
  ),
  flow_of_another_issuer: identityProvider(
    'The issuer of the provider was changed while the sign-in was under way.',
    'provider',
  ),
  flow_ticket_unknown: identityProvider(
    'No sign-in waits for this code: it expired, was used, or began elsewhere.',
  ),
  linker_ended: identityProvider('The session or token that began the linking has ended.'),
  provider_denied: identityProvider(
    'The provider, or the user there, has denied the sign-in.',
    'detail',
  ),
  provider_answer_unacceptable: identityProvider(
    'The answer of the provider is not acceptable.',
    'detail',
  ),
  provider_return_invalid: identityProvider(
    'The browser returned with parameters that do not fit the sign-in.',
    'detail',
  ),
  provider_unreachable: identityProvider('The provider does not answer.', 'detail'),
  sign_up_off: identityProvider(
    'The identity is linked to no account, and OIDC_SIGN_UP is off.',
    'provider',
  ),
  sign_up_without_email: identityProvider(
    'A new account needs a valid e-mail address, which the provider does not state.',
    'issuer',
  ),
  sign_up_names_taken: identityProvider(
    'All usernames that fit the new account are taken.',
    'issuer',
  ),
  too_many_sign_ins: identityProvider('Too many sign-ins through providers are under way.'),

  page_flow_unknown: service(
    'No flow of this id and browser is under way: it expired, has ended, or began elsewhere.',
  ),
  page_flow_moved_on: service('Another request has taken the flow further, or has ended it.'),
  too_many_page_flows: service('Too many flows of pages are under way.'),
  database_unavailable: service('The database is locked, full or away.'),
  mail_not_sent: service(
    'The mail server takes no mail, or notices wait in the queue, and the change needs a notice.',
    'since',
  ),
  queue_full: service('More work waits than the queue takes.', 'queue'),
  password_waited_too_long: service(
    'The password waited so long to be verified that its attempt could lapse.',
  ),
  bodies_hold_memory: service(
    'The bodies of the requests under way hold all the memory that they may.',
  ),
  large_answers_wait: service('Too many large answers wait for their turn.'),
  shutting_down: service('The service is shutting down.'),
  not_ready: service(
    'The service is not ready to serve: docs/health.md has a row for each cause.',
    'cause',
  ),
  import_given_up: service('Another process took the import for dead and has ended it.'),
  deadline_passed: service('The request took longer than its route allows.'),
  unexpected_failure: service(
    'The service failed: the log has the error under this request id.',
    'error',
  ),
} as const satisfies Record<string, Reason>
