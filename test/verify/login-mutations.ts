import {
  answers,
  error,
  field,
  flag,
  ignoresFirst,
  type Mutation,
  plain,
  to,
  tokenPart,
} from './spoils.ts'

const login = to('POST', /^\/login$/, 200)

export const loginMutations: readonly Mutation[] = [
  {
    wrong: 'the cookie is not HttpOnly',
    only: ['4.1-login', '5.2-cookie'],
    found: ['4.1-login-session', '4.1-login-form-session', '5.2-cookie-flags'],
    make: answers(login, flag(/; HttpOnly/, '')),
  },
  {
    wrong: 'the cookie is SameSite=Lax',
    only: ['5.2-cookie'],
    found: ['5.2-cookie-flags'],
    make: answers(login, flag(/Strict/, 'Lax')),
  },
  {
    wrong: 'the CSRF token is short',
    only: ['4.1-login-s'],
    found: ['4.1-login-session'],
    make: answers(login, field('csrf_token', 'short')),
  },
  {
    wrong: 'expires_in is a text',
    only: ['4.1-login-token', '4.1-login-json'],
    found: ['4.1-login-token'],
    make: answers(login, field('expires_in', '3600')),
  },
  {
    wrong: 'a token has no typ',
    only: ['2.4-'],
    found: ['2.4-claims'],
    make: answers(login, tokenPart('token', 0, { typ: undefined })),
  },
  {
    wrong: 'a refresh token has roles',
    only: ['2.5-'],
    found: ['2.5-pair'],
    make: answers(
      (asked, told) => login(asked, told) && told.text.includes('refresh_token'),
      tokenPart('refresh_token', 1, { roles: ['USER'] }),
    ),
  },
  {
    wrong: 'a transfer without a session has a body',
    only: ['4.1-transfer'],
    found: ['4.1-transfer-401'],
    make: answers(to('POST', /^\/api\/transfer$/, 401), error('Authentication required')),
  },
  {
    wrong: 'a transfer needs no CSRF token',
    only: ['4.1-transfer', '5.2-csrf'],
    found: ['4.1-transfer-no-csrf', '4.1-transfer-wrong-csrf', '5.2-csrf-other-session'],
    make: answers(to('POST', /^\/api\/transfer$/, 403), () => plain(200, { message: 'Done' })),
  },
  {
    wrong: 'a missing token has the text of a missing session',
    only: ['4.1-me'],
    found: ['4.1-me-none'],
    make: answers((_, { text }) => text.includes('No token'), error('Authentication required')),
  },
  {
    wrong: 'a logout does not end the session',
    only: ['3.1-logout', '4.1-logout'],
    found: ['3.1-logout-ends'],
    make: ignoresFirst('POST', /^\/logout$/, () => plain(200, { message: 'Logged out' })),
  },
  {
    wrong: 'the algorithm none is accepted',
    only: ['5.3-'],
    found: ['5.3-algorithm-none'],
    make: answers(
      ({ headers }) => headers.authorization?.endsWith('.') === true,
      () => plain(200, { id: 1 }),
    ),
  },
  {
    wrong: 'there is no challenge',
    only: ['5.1-missing', '5.1-other', '5.1-no'],
    found: ['5.1-missing', '5.1-other-scheme', '5.1-no-colon'],
    make: answers(
      (_, { status }) => status === 401,
      ({ headers: { 'www-authenticate': _, ...headers } }) => ({ headers }),
    ),
  },
  {
    wrong: 'frames of the same origin are allowed',
    only: ['5.7-'],
    found: ['5.7-x-frame-options', '5.7-of-404', '5.7-of-401', '5.7-of-400'],
    make: answers(
      () => true,
      ({ headers }) => ({ headers: { ...headers, 'x-frame-options': 'SAMEORIGIN' } }),
    ),
  },
  {
    wrong: 'a blocked login is 401',
    only: ['3.3-'],
    found: ['3.3-blocked'],
    make: answers(to('POST', /^\/login$/, 429), () => plain(401, { error: 'Invalid credentials' })),
  },
  {
    wrong: 'a locked account can log in',
    only: ['2.2-'],
    found: ['2.2-locked'],
    make: answers(
      ({ body }, { status }) => status === 401 && body.includes('-locked"'),
      () => plain(200, { token: 'any' }),
    ),
  },
  {
    wrong: 'any origin may read answers',
    only: ['4.5-'],
    found: ['4.5-other-origin'],
    make: answers(
      ({ headers }) => headers.origin !== undefined,
      ({ headers }) => ({ headers: { ...headers, 'access-control-allow-origin': '*' } }),
    ),
  },
  {
    wrong: 'no code is asked for',
    only: ['5.5-code'],
    found: ['5.5-code-required'],
    make: answers(
      (_, { text }) => text.includes('Second factor required'),
      () => plain(200, { token: 'any' }),
    ),
  },
]
