import type { Asked, Spoil, Told } from './wrong-service.ts'

export interface Mutation {
  readonly wrong: string
  /** The checks that run, by the beginnings of their ids. */
  readonly only: readonly string[]
  /** Exactly the checks that fail. */
  readonly found: readonly string[]
  readonly make: () => Spoil
}

type Is = (asked: Asked, told: Told) => boolean

/** Changes the answers to some requests. */
function answers(is: Is, change: (told: Told, asked: Asked) => Partial<Told>): () => Spoil {
  return () => async (asked, forward) => {
    const told = await forward(asked)
    return is(asked, told) ? { ...told, ...change(told, asked) } : told
  }
}

const to =
  (method: string, path: RegExp, status?: number): Is =>
  (asked, told) =>
    asked.method === method &&
    path.test(asked.path) &&
    (status === undefined || told.status === status)

/** Changes the JSON of an answer. */
function json(change: (body: Record<string, unknown>) => unknown): (told: Told) => Partial<Told> {
  return ({ text }) => ({ text: JSON.stringify(change(JSON.parse(text))) })
}

const error = (text: string) => () => ({ text: JSON.stringify({ error: text }) })
const field = (name: string, value: unknown) => json((body) => ({ ...body, [name]: value }))
const flag = (from: RegExp, instead: string) => (told: Told) => ({
  cookies: told.cookies.map((cookie) => cookie.replace(from, instead)),
})

/** Changes a part of a token; its signature is wrong then, which its reader does not see. */
function tokenPart(name: string, part: 0 | 1, change: object) {
  return json((body) => {
    const parts = String(body[name]).split('.')
    const former = JSON.parse(Buffer.from(parts[part] ?? '', 'base64url').toString())
    const changed = JSON.stringify({ ...former, ...change })
    return {
      ...body,
      [name]: parts.with(part, Buffer.from(changed).toString('base64url')).join('.'),
    }
  })
}

/** Answers the first of equal requests without asking the service. */
function ignoresFirst(method: string, path: RegExp, told: (asked: Asked) => Told): () => Spoil {
  return () => {
    const seen = new Set<string>()
    return async (asked, forward) => {
      const key = `${asked.path} ${asked.headers.cookie ?? ''}`
      const isFirst = asked.method === method && path.test(asked.path) && !seen.has(key)
      if (!isFirst) return forward(asked)
      seen.add(key)
      return told(asked)
    }
  }
}

const plain = (status: number, body: object): Told => ({
  status,
  headers: { 'content-type': 'application/json' },
  cookies: [],
  text: JSON.stringify(body),
})
const users = /^\/users$/
const oneUser = /^\/users\/\d+$/
const login = to('POST', /^\/login$/, 200)

export const mutations: readonly Mutation[] = [
  {
    wrong: 'a created user is 200',
    only: ['4.2-'],
    found: ['4.2-create-201', '4.2-create-longest-name'],
    make: answers(to('POST', users, 201), () => ({ status: 200 })),
  },
  {
    wrong: 'a user has a further field',
    only: ['4.2-get', '4.2-update'],
    found: ['4.2-get-200', '4.2-update-stays'],
    make: answers(to('GET', oneUser, 200), field('roles', [])),
  },
  {
    wrong: 'a missing user has another text',
    only: ['4.2-'],
    found: ['4.2-get-404', '4.2-delete-is-gone'],
    make: answers(to('GET', oneUser, 404), error('Not found')),
  },
  {
    wrong: 'a page is in the wrong order',
    only: ['4.2-page'],
    found: ['4.2-page-slice'],
    make: answers(
      to('GET', /page=1&limit=2/),
      json((body) => ({ ...body, data: [body.data].flat().reverse() })),
    ),
  },
  {
    wrong: 'the default limit is 20',
    only: ['4.2-page'],
    found: ['4.2-page-default', '4.2-page-not-numeric', '4.2-page-zero'],
    make: answers((_, { text }) => text.includes('"limit":10'), field('limit', 20)),
  },
  {
    wrong: 'page zero is page zero',
    only: ['4.2-page'],
    found: ['4.2-page-zero'],
    make: answers(to('GET', /page=0/), field('page', 0)),
  },
  {
    wrong: 'the total is a text',
    only: ['4.2-page-d'],
    found: ['4.2-page-default'],
    make: answers(to('GET', /page=1$/), field('total', '1')),
  },
  {
    wrong: 'a missing field is a violation',
    only: ['4.2-create'],
    found: ['4.2-create-name-missing', '4.2-create-email-missing'],
    make: answers((_, { text }) => text.includes('Name and email'), error('Validation failed')),
  },
  {
    wrong: 'a long name is cut',
    only: ['4.2-create'],
    found: ['4.2-create-name-too-long'],
    make: () => (asked, forward) =>
      forward({ ...asked, body: asked.body.replace(/n{101}/, 'n'.repeat(100)) }),
  },
  {
    wrong: 'violations have no details',
    only: ['4.2-create'],
    found: ['4.2-create-name-empty', '4.2-create-name-too-long', '4.2-create-email-invalid'],
    make: answers((_, { text }) => text.includes('Validation failed'), error('Validation failed')),
  },
  {
    wrong: 'a body that is no JSON is a failure of the server',
    only: ['4.2-create', '4.2-update'],
    found: ['4.2-create-not-json', '4.2-update-not-json'],
    make: answers(
      (_, { text }) => text.includes('Invalid request body'),
      () => ({ status: 500 }),
    ),
  },
  {
    wrong: 'a change is not stored',
    only: ['4.2-update-n', '4.2-update-s'],
    found: ['4.2-update-stays'],
    make: () => async (asked, forward) => {
      const isChange = asked.method === 'PUT' && oneUser.test(asked.path)
      if (!isChange || !asked.body.includes('Changed')) return forward(asked)
      const former = await forward({ ...asked, method: 'GET', body: '' })
      return { ...former, ...json((user) => ({ ...user, ...JSON.parse(asked.body) }))(former) }
    },
  },
  {
    wrong: 'a deletion has no effect',
    only: ['4.2-delete'],
    found: ['4.2-delete-is-gone'],
    make: () => {
      const seen = new Set<string>()
      return async (asked, forward) => {
        const isOfRun = nameIn(asked.headers.authorization).endsWith('-admin')
        const isFirst = isOfRun && asked.method === 'DELETE' && !seen.has(asked.path)
        seen.add(asked.path)
        return forward(isFirst ? { ...asked, method: 'GET' } : asked)
      }
    },
  },
  {
    wrong: 'an EDITOR may read what is for ADMIN',
    only: ['4.3-admin'],
    found: ['4.3-admin-by-editor'],
    make: answers(
      ({ headers, path }) =>
        path === '/api/admin/accounts' && nameIn(headers.authorization).endsWith('-editor'),
      () => plain(200, { page: 1, limit: 10, total: 0, data: [] }),
    ),
  },
  {
    wrong: 'a refused post is 404',
    only: ['4.3-posts-create'],
    found: ['4.3-posts-create-by-user'],
    make: answers(to('POST', /^\/api\/posts$/, 403), () => ({ status: 404 })),
  },
  {
    wrong: 'ADMIN may change a locked post',
    only: ['4.3-posts-update'],
    found: ['4.3-posts-update-admin-locked'],
    make: () => async (asked, forward) => {
      const isAdmins = nameIn(asked.headers.authorization).endsWith('-admin')
      if (asked.method !== 'PUT' || !asked.path.startsWith('/api/posts/') || !isAdmins) {
        return forward(asked)
      }
      const lock = `${asked.path.replace('/api/', '/api/admin/')}/lock`
      await forward({ ...asked, method: 'DELETE', path: lock, body: '' })
      return forward(asked)
    },
  },
  {
    wrong: 'the public group asks for credentials',
    only: ['4.3-public'],
    found: ['4.3-public'],
    make: answers(to('GET', /^\/api\/public\//), () => plain(401, { error: 'Who?' })),
  },
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

function nameIn(authorization = ''): string {
  return Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':')[0] ?? ''
}
