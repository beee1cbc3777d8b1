import { type Reason, reasonBy } from './guards.ts'

const connection = reasonBy('connection')
const rateLimit = reasonBy('rate limit')
const route = reasonBy('route')
const body = reasonBy('body')
const precondition = reasonBy('precondition')

/** Why a request was refused for its form: connection, number, route, body, preconditions. */
export const requestReasons = {
  misshapen_request: connection(
    'The request is not HTTP/1.1 or 1.0, has no valid Host, repeats a header that may be sent once, or has chunks in HTTP/1.0.',
  ),
  bad_url: connection('The address of the request cannot be decoded.'),
  client_gone: connection(
    'The client closed the connection before the request or its answer was complete.',
  ),

  too_many_requests: rateLimit(
    'The address has sent more requests than RATE_LIMIT_MAX allows in the window.',
    'requests',
    'max',
    'frees_at',
  ),

  limit_mail_of_client: rateLimit(
    'The address has asked for more mail than MAIL_REQUESTS_PER_CLIENT allows in an hour.',
    'used',
    'max',
    'frees_at',
  ),
  limit_taken_usernames: rateLimit(
    'With one link or code, or from one address, too many usernames were tried that are taken.',
    'used',
    'attempts',
    'window_seconds',
    'frees_at',
  ),
  backups_off: route('The service makes no backups by itself: BACKUP_DIR is not set.'),
  mail_off: route('The service sends no mail: SMTP_URL is not set.'),

  unknown_route: route('No route has this method and path.'),
  unknown_route_of_group: route(
    'The path belongs to a group of routes, and no route of the group has it.',
  ),
  empty_parameter: route('A parameter of the path is empty.'),
  unknown_asset: route('The page has no file of this name.'),
  sign_in_by_mail_off: route('Sign-in by mail is off: SIGN_IN_BY_MAIL.'),
  captchas_off: route('Captchas are off: LOGIN_CAPTCHA_AFTER is 0.'),
  no_such_provider: route('No identity provider of this name is configured for sign-in.'),

  body_not_json: body('The body is no valid JSON.'),
  body_empty: body('The route wants a body, and none was sent.'),
  body_of_other_type: body('The Content-Type of the body is none that the route reads.'),
  body_of_other_coding: body('The body has a Content-Encoding, and none but identity is read.'),
  body_of_other_charset: body('The charset of the body is not UTF-8.'),
  form_malformed: body(
    'The form has too many fields, a field twice, or escapes that are no UTF-8.',
  ),
  body_not_utf8: body('The body is no UTF-8.'),
  body_length_invalid: body('The Content-Length of the body is not valid, or not its length.'),
  body_too_large: body('The body is larger than the route allows.', 'limit_bytes'),
  body_too_slow: body('The body did not arrive in time.'),
  body_cut: body('The body ended before it was complete.'),
  schema_violated: body('Fields of the body break the rules of the schema.', 'fields'),
  fields_absent: body('Required fields of the body are absent or null.', 'fields'),
  field_refused: body('A field breaks a rule.', 'field', 'message'),
  roles_unknown: body('The list of roles has a name that is no role here.'),
  lines_refused: body('Lines of the import are not acceptable.', 'errors'),

  etag_differs: precondition(
    'If-Match names another version of the resource: it has changed since.',
  ),
  idempotency_key_reused: precondition('The Idempotency-Key was used before with another body.'),
  idempotency_answer_erased: precondition(
    'The Idempotency-Key was used before, and the person whom the answer named was erased meanwhile.',
  ),
} as const satisfies Record<string, Reason>
