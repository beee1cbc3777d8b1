import type { Language } from './lib/languages.ts'

/** An error that a caller can see. */
export interface ErrorText {
  /** From 400 to 599. */
  readonly status: number
  /** The text that callers see. */
  readonly error: string
  /**
   * The event of its refusals. The other errors have none: their cause is told where it is known (a
   * wrong password, a full rate limit), or they are no matter of security (a path or a row that is
   * not there, a request without credentials). docs/adr/0052
   */
  readonly event?: 'authorizationFail' | 'csrfFail' | 'inputFail' | 'sequenceFail' | 'tokenFail'
  /** Its answers carry a challenge, if an accepted scheme has one. */
  readonly isChallenged?: true
  /** Its answers say when another try can succeed. */
  readonly isRetried?: true
  /** The settings leave the feature out: no failure of the service, and no later try succeeds. */
  readonly isUnconfigured?: true
  /** What an operator can do about the refusal of a command; a client is not told. */
  readonly remedy?: string
  /** What the console says of it; it shows the text of another error as it is. */
  readonly words?: Readonly<Record<Language, string>>
  /** Explanations show its name in place of its text; metrics count it from its first refusal on. */
  readonly isUnlisted?: true
}

/**
 * The errors of spec section 7 and those that the core or several modules answer with. An error of
 * one module is a value in its `problems.ts`. No other file contains a status code or an error text.
 */
export const errorTable = {
  badRequest: { status: 400, error: 'Bad request', event: 'inputFail' },
  invalidBody: { status: 400, error: 'Invalid request body', event: 'inputFail' },
  nameAndEmailRequired: {
    status: 400,
    error: 'Name and email required',
    event: 'inputFail',
    words: { en: 'Name and e-mail address are needed.', de: 'Name und E-Mail-Adresse fehlen.' },
  },
  validationFailed: {
    status: 400,
    error: 'Validation failed',
    event: 'inputFail',
    words: {
      en: 'Please correct the marked fields',
      de: 'Bitte korrigieren Sie die markierten Felder',
    },
  },
  confirmationInvalid: { status: 400, error: 'Invalid or expired code' },
  signInFailed: { status: 400, error: 'Sign-in failed' },
  authenticationRequired: {
    status: 401,
    error: 'Authentication required',
    isChallenged: true,
    words: { en: 'You are not signed in.', de: 'Sie sind nicht angemeldet.' },
  },
  invalidCredentials: {
    status: 401,
    error: 'Invalid credentials',
    words: { en: 'The password is wrong.', de: 'Das Passwort ist falsch.' },
  },
  invalidOrExpiredToken: {
    status: 401,
    error: 'Invalid or expired token',
    isChallenged: true,
    event: 'tokenFail',
  },
  noTokenProvided: { status: 401, error: 'No token provided', isChallenged: true },
  invalidToken: { status: 401, error: 'Invalid token', isChallenged: true, event: 'tokenFail' },
  captchaRequired: {
    status: 401,
    error: 'Captcha required',
    event: 'sequenceFail',
    words: {
      en: 'There were several wrong passwords. Sign in at the other tab, where a small task is solved first.',
      de: 'Es gab mehrere falsche Passwörter. Melden Sie sich im anderen Tab an, wo zuerst eine kleine Aufgabe gelöst wird.',
    },
  },
  invalidRefreshToken: { status: 401, error: 'Invalid refresh token', event: 'tokenFail' },
  secondFactorRequired: { status: 401, error: 'Second factor required', event: 'sequenceFail' },
  recentLoginRequired: {
    status: 401,
    error: 'Recent login required',
    event: 'sequenceFail',
    words: {
      en: 'This wants a recent login. Sign in again, then repeat it.',
      de: 'Dafür muss die Anmeldung frisch sein. Melden Sie sich neu an, und wiederholen Sie es.',
    },
  },
  confirmationRequired: {
    status: 401,
    error: 'Confirmation required',
    event: 'sequenceFail',
    words: {
      en: 'Confirm that it is you, with your password or a code.',
      de: 'Bestätigen Sie, dass Sie es sind: mit Ihrem Passwort oder mit einem Code.',
    },
  },
  accessDenied: {
    status: 403,
    error: 'Access denied',
    event: 'authorizationFail',
    words: { en: 'Your roles do not allow this.', de: 'Ihre Rollen erlauben das nicht.' },
  },
  httpsRequired: {
    status: 403,
    error: 'HTTPS required',
    words: { en: 'This needs HTTPS.', de: 'Dafür braucht es HTTPS.' },
  },
  csrfTokenInvalid: { status: 403, error: 'CSRF token invalid', event: 'csrfFail' },
  passwordChangeRequired: {
    status: 403,
    error: 'Password change required',
    event: 'sequenceFail',
    words: {
      en: 'Your password must be changed first: sign in at the other tab.',
      de: 'Ihr Passwort muss zuerst geändert werden: Melden Sie sich im anderen Tab an.',
    },
  },
  enrolmentRequired: {
    status: 403,
    error: 'Second factor enrolment required',
    event: 'sequenceFail',
    words: {
      en: 'Your roles need a second factor: set it up at the other tab.',
      de: 'Ihre Rollen brauchen einen zweiten Faktor: Richten Sie ihn im anderen Tab ein.',
    },
  },
  routeNotFound: {
    status: 404,
    error: 'Route not found',
    words: {
      en: 'The service does not know this: is it of another version than this page? Load the page again.',
      de: 'Der Dienst kennt das nicht: Ist er von einer anderen Version als diese Seite? Laden Sie die Seite neu.',
    },
  },
  userNotFound: {
    status: 404,
    error: 'User not found',
    words: {
      en: 'There is no such user: it was removed, or never was.',
      de: 'Diese Person gibt es nicht: Sie wurde gelöscht, oder es gab sie nie.',
    },
  },
  accountNotFound: {
    status: 404,
    error: 'Account not found',
    words: {
      en: 'There is no such account: it was removed, or never was.',
      de: 'Dieses Konto gibt es nicht: Es wurde gelöscht, oder es gab es nie.',
    },
  },
  sessionNotFound: {
    status: 404,
    error: 'Session not found',
    words: {
      en: 'There is no such session: it has ended.',
      de: 'Diese Sitzung gibt es nicht: Sie ist beendet.',
    },
  },
  requestTimeout: { status: 408, error: 'Request timeout' },
  usernameExists: {
    status: 409,
    error: 'Username already exists',
    words: {
      en: 'Another account has this username.',
      de: 'Ein anderes Konto hat diesen Benutzernamen.',
    },
  },
  emailExists: {
    status: 409,
    error: 'Email already in use',
    words: {
      en: 'Another account has verified this address.',
      de: 'Ein anderes Konto hat diese Adresse bestätigt.',
    },
  },
  emailNotVerified: {
    status: 409,
    error: 'No verified email',
    words: {
      en: 'The account has no verified mail address.',
      de: 'Das Konto hat keine bestätigte E-Mail-Adresse.',
    },
    remedy: 'name the address of its owner with --email',
  },
  lastAdministrator: {
    status: 409,
    error: 'Last administrator',
    words: {
      en: 'This is the last active administrator: make another one first.',
      de: 'Das ist die letzte aktive Person mit der Rolle ADMIN: Geben Sie die Rolle zuerst einer anderen.',
    },
  },
  preconditionFailed: {
    status: 412,
    error: 'Precondition failed',
    words: {
      en: 'It was changed meanwhile by another person.',
      de: 'Es wurde inzwischen von einer anderen Person geändert.',
    },
  },
  bodyTooLarge: {
    status: 413,
    error: 'Request body too large',
    event: 'inputFail',
    words: {
      en: 'It is too large. BODY_LIMIT_BYTES is the limit.',
      de: 'Es ist zu groß. Die Grenze ist BODY_LIMIT_BYTES.',
    },
  },
  unsupportedMediaType: { status: 415, error: 'Unsupported media type' },
  expectationFailed: { status: 417, error: 'Expectation failed' },
  idempotencyKeyReused: { status: 422, error: 'Idempotency key reused' },
  tooManyLoginAttempts: {
    status: 429,
    error: 'Too many login attempts',
    isRetried: true,
    words: {
      en: 'There were too many attempts. Wait, then try again.',
      de: 'Es gab zu viele Versuche. Warten Sie, und versuchen Sie es dann noch einmal.',
    },
  },
  tooManyRequests: { status: 429, error: 'Too many requests', isRetried: true },
  headerFieldsTooLarge: { status: 431, error: 'Request header fields too large' },
  internal: { status: 500, error: 'Internal server error' },
  serviceUnavailable: { status: 503, error: 'Service unavailable', isRetried: true },
} as const satisfies Record<string, ErrorText>
