import { eventType, type NoPayload } from '../events/types.ts'

type Refused = {
  /** Row of the error table. */
  readonly error: string
  /** For `gatehouse explain`; absent if the row suffices. */
  readonly reason?: string
  /** The route pattern, never the sent path; null if unknown. */
  readonly route: string | null
}
const refusalFields = { error: '', reason: '', route: '' }

export const authorizationFail = eventType<Refused>('authz_fail', {
  level: 'critical',
  groups: ['attacks'],
  description: '403: the rule of a route denies the caller',
  fields: refusalFields,
  words: { en: 'Access denied', de: 'Zugriff verweigert' },
})

export const directReference = eventType<Refused>('malicious_direct_reference', {
  level: 'critical',
  groups: ['attacks'],
  description: '403: a caller names a resource of another user, which only its owner may change',
  fields: refusalFields,
  words: { en: 'Change of what belongs to another refused', de: 'Änderung an Fremdem abgelehnt' },
})

export const csrfFail = eventType<Refused>('malicious_csrf', {
  level: 'critical',
  groups: ['attacks'],
  description: 'the CSRF token of a change is missing or wrong',
  fields: refusalFields,
  words: { en: 'Forged request refused', de: 'Gefälschte Anfrage abgelehnt' },
})

export const foreignPage = eventType<Refused>('malicious_cors', {
  level: 'critical',
  groups: ['attacks'],
  description: 'a page of an origin that is not allowed sends a login or a change',
  fields: refusalFields,
  words: { en: 'Request of a foreign page refused', de: 'Anfrage einer fremden Seite abgelehnt' },
})

export const inputFail = eventType<
  Refused & {
    readonly fields?: readonly string[]
  }
>('input_validation_fail', {
  level: 'warn',
  groups: [],
  description: '400 or 413: a body, or the form of a request, is refused',
  fields: { ...refusalFields, fields: 'paths of the fields that break a rule, never values' },
  words: { en: 'Malformed request refused', de: 'Fehlerhafte Anfrage abgelehnt' },
})

export const sequenceFail = eventType<Refused>('sequence_fail', {
  outcome: 'failure',
  groups: [],
  description:
    'a step is due first: a code, a captcha, a new password, an enrolment (also for the session of an account that must enrol), a recent login, a proof of the person',
  fields: refusalFields,
  words: { en: 'Another step is due first', de: 'Ein anderer Schritt kommt zuerst' },
})

export const tokenFail = eventType<Refused>('authn_token_fail', {
  outcome: 'failure',
  groups: [],
  description: 'a bearer or refresh token has expired, or is none of this service',
  fields: refusalFields,
  words: { en: 'Token refused', de: 'Token abgelehnt' },
})

export const tokenReuse = eventType<{ user_id: number | null; kind: 'access' | 'refresh' }>(
  'authn_token_reuse',
  {
    level: 'critical',
    groups: ['attacks'],
    description:
      'a token is used after it was revoked, or a refresh token after it was replaced: then its token family ends',
    fields: { user_id: 'null for a token of an identity provider', kind: '`access`, `refresh`' },
    words: {
      en: 'Revoked or replaced token used again',
      de: 'Widerrufener oder ersetzter Token wieder benutzt',
    },
  },
)

export const sessionUseAfterExpire = eventType<{ user_id: number | null }>(
  'session_use_after_expire',
  {
    level: 'warn',
    groups: ['attacks'],
    description: 'the cookie of a session is sent after its end',
    fields: { user_id: 'null if the session is deleted' },
    words: { en: 'Cookie of an ended session used', de: 'Cookie einer beendeten Sitzung benutzt' },
  },
)

export const rateLimitExceeded = eventType<NoPayload>('excess_rate_limit_exceeded', {
  level: 'warn',
  message: 'too many requests',
  groups: ['attacks'],
  description: 'an address has used up `RATE_LIMIT_MAX`; once in its window',
  fields: {},
  words: { en: 'Address sent too many requests', de: 'Adresse hat zu viele Anfragen gesendet' },
})

export const configChanged = eventType<{
  what: 'certificate'
  until: string
  fingerprint: string
}>('config_changed', {
  message: 'a renewed TLS certificate is in use',
  groups: ['service'],
  inOverview: true,
  description: 'the running service has taken up a renewed TLS certificate',
  fields: { what: '', until: 'how long the certificate is valid', fingerprint: '' },
  words: { en: 'TLS certificate renewed', de: 'TLS-Zertifikat erneuert' },
})
