import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Database } from '../src/core/database/database.ts'
import { ApiError } from '../src/core/errors.ts'
import { resource } from '../src/core/http/changes/resource.ts'
import { access } from '../src/core/http/routes/access.ts'
import type { Authenticator } from '../src/core/http/routes/declaration.ts'
import type { Principal, Role } from '../src/core/policy/principal.ts'
import { afterwards } from './afterwards.ts'
import { fixedClock } from './clock.ts'
import { loadConfig } from './config.ts'

const clock = fixedClock()

function person(subject: string, roles: readonly Role[], more: Partial<Principal> = {}): Principal {
  return {
    subject,
    username: `user${subject}`,
    roles: new Set(roles),
    credential: { scheme: 'basic' },
    amr: ['pwd'],
    authTime: clock.now(),
    ...more,
  }
}

const session = { scheme: 'session', sessionId: 'a', csrfToken: 'right', expiresAt: 0 } as const

/** By the value of `Authorization` after the scheme. */
export const callers: Readonly<Record<string, Principal>> = {
  user: person('1', ['USER']),
  other: person('2', ['USER']),
  admin: person('3', ['ADMIN']),
  tired: person('4', ['USER'], { authTime: clock.now() - 3_600_000 }),
  strong: person('5', ['USER'], { amr: ['pwd', 'otp', 'mfa'] }),
  session: person('7', ['USER'], { credential: session }),
  strongTired: person('6', ['USER'], { amr: ['mfa'], authTime: clock.now() - 3_600_000 }),
}

/** The names of callers that have ended since their authentication. */
export const ended = new Set<string>()
/** How often a caller was authenticated again. */
export const revalidations: string[] = []

/** `Authorization: basic <name>`; `basic later <name>` is answered asynchronously. */
export const basic: Authenticator = {
  scheme: 'basic',
  header: 'basic',
  missing: 'authenticationRequired',
  challenge: 'Basic realm="API"',
  describes: { type: 'http', scheme: 'basic' },
  authenticate({ headers }) {
    const words = headers.authorization?.split(' ') ?? []
    if (words[0] !== 'basic') return null
    const answer = authenticated(words.at(-1) ?? '')
    return words[1] === 'later' ? Promise.resolve(answer) : answer
  },
}

export const bySession: Authenticator = { ...basic, scheme: 'session', csrf: 'token' }

/** `caller` in a form. */
export const byForm: Authenticator = {
  ...basic,
  scheme: 'bearer',
  header: 'bearer',
  challenge: 'Bearer realm="API"',
  authenticate: () => null,
  async authenticateBody({ body }) {
    const { caller } = body as { caller?: string }
    return caller === undefined ? null : authenticated(caller)
  },
}

function authenticated(name: string) {
  const principal = callers[name]
  if (!principal) return null
  return {
    principal,
    lockNames: () => [],
    revalidate: async () => {
      revalidations.push(name)
      return ended.has(name) ? null : principal
    },
  }
}

/** Of users 1 and 2; `sync-` is answered synchronously. */
export const thing = resource<{ ownerId: string }>({
  param: 'id',
  missing: 'userNotFound',
  load(text) {
    const found = ['1', '2'].includes(text.slice(-1)) ? { ownerId: text.slice(-1) } : null
    return text.startsWith('sync-') ? found : Promise.resolve(found)
  },
  facts: (found) => ({ ownerId: found?.ownerId ?? null, privileged: found?.ownerId !== '2' }),
})

export interface Sent {
  readonly as?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string
}

export type Ask = (method: string, url: string, sent?: Sent) => Promise<unknown[]>

/**
 * A server with `access` alone. Answers of `ask`: the status, then the error and the code of its reason,
 * or the body.
 */
export async function guardedRoutes(
  declare: (app: FastifyInstance) => void,
  authenticators: readonly Authenticator[] = [basic],
): Promise<Ask> {
  ended.clear()
  revalidations.length = 0
  const app = fastify()
  afterwards(() => app.close())
  const config = loadConfig({ NODE_ENV: 'test', BASE_URL: 'https://auth.example' })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_, text, done) => done(null, Object.fromEntries(new URLSearchParams(String(text)))),
  )
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const isRefusal = error instanceof ApiError
    const status = isRefusal ? error.status : (error.statusCode ?? 500)
    return reply.code(status).send([error.message, ...(isRefusal ? [error.reason.code] : [])])
  })
  app.setNotFoundHandler(() => {})
  // The guards of these routes read no database.
  await app.register(access, { authenticators, config, clock, db: {} as Database })
  declare(app)
  await app.ready()
  return async (method, url, { as, headers = {}, payload } = {}) => {
    const answer = await app.inject({
      method: method as 'GET',
      url,
      headers: { ...headers, ...(as !== undefined && { authorization: `basic ${as}` }) },
      ...(payload !== undefined && { payload }),
    })
    return [answer.statusCode, ...[answer.json()].flat()]
  }
}

/** A handler that answers who called, and judges the caller again as a change does. */
export async function changes(request: FastifyRequest): Promise<object> {
  await request.guard?.authorize({} as Database)
  return { by: request.principal?.username ?? null }
}
