import assert from 'node:assert/strict'
import { ApiError } from '../src/core/errors.ts'
import type { Authenticator } from '../src/core/http/routes/declaration.ts'
import type { Principal, Role } from '../src/core/policy/principal.ts'
import type { LiveSession } from '../src/modules/sessions/sessions.ts'
import type { decidingBy } from './forward-decision.ts'

const ann = {
  ...{ subject: '1', username: 'änn', roles: new Set<Role>(['USER', 'EDITOR']) },
  ...{ amr: ['pwd'], authTime: 0 },
}
const as = (credential: object, more: object = {}) =>
  ({ ...ann, credential, ...more }) as unknown as Principal // what a decision reads
/** Of `Bearer ann`. */
export const bearer = as({ scheme: 'bearer', claims: { email: 'a@b.co' } })
const callers: Readonly<Record<string, Principal>> = {
  'Bearer ann': bearer,
  'Bearer mfa': as({ scheme: 'bearer', claims: {} }, { amr: ['pwd', 'mfa'] }),
  'Bearer key': as({ scheme: 'key', kind: 'key' }),
  'Basic app': as({ scheme: 'key', kind: 'app_password' }),
  'Basic ann': as({ scheme: 'basic' }),
  'Basic gone': as({ scheme: 'basic' }, { subject: '9' }),
  'Basic outside': as({ scheme: 'external' }, { subject: 'x' }),
}

export const ended = { code: 'forward_session_unknown' } as const
/** The authenticators that were asked, by their header. */
export const tried: string[] = []
function accepts(header: string, more: Partial<Authenticator> = {}): Authenticator {
  const failing = new ApiError('authenticationRequired', { reason: ended })
  const find = (sent = '') => {
    tried.push(header)
    if (!sent.toLowerCase().startsWith(`${header} `)) return null
    if (sent.endsWith('broken')) throw new Error('broken')
    if (sent.endsWith('busy')) throw new ApiError('tooManyLoginAttempts', { reason: ended })
    const principal = callers[sent.replace(/^bearer/i, 'Bearer')]
    if (!principal) throw failing
    return { principal, lockNames: () => [], revalidate: async () => principal }
  }
  return {
    ...{ scheme: header, header, challenge: header, missing: 'authenticationRequired' },
    authenticate: ({ headers: { authorization } }: { headers: { authorization?: string } }) =>
      header === 'basic' ? Promise.resolve().then(() => find(authorization)) : find(authorization),
    ...more,
  } as unknown as Authenticator // what identification reads
}

const stored = {
  ...{ id: 'digest', userId: 1, username: 'ann', email: 'ann@b.co', amr: ['pwd'], authTime: 5 },
  ...{ csrfToken: 'c', createdAt: 0, account: { roles: ['ADMIN', 'OLD'], secondFactor: false } },
}
const live = { stored, needsEnrolment: false, expiresAt: 99 } as unknown as LiveSession // as above
const resumed = (secret: string) => {
  if (secret === 'enrol') return { ...live, needsEnrolment: true }
  return secret === 'live' ? live : { ended }
}
/** Callers of a decision: by bearer tokens, by Basic and by sessions. */
export const callerParts: Parameters<typeof decidingBy>[1] = {
  accounts: {
    byUserId: async (id) => {
      assert.ok(Number.isInteger(id))
      return (id === 1 ? { username: 'ann', email: 'ann@b.co' } : null) as unknown as null // what is read
    },
  },
  authenticators: [
    accepts('basic', { csrf: 'sameSite' }),
    accepts('session', { header: null, challenge: 'Session', authenticate: () => assert.fail() }),
    accepts('bearer'),
    accepts('client'),
    accepts('x', { scheme: 'bearer', header: null, challenge: 'none' }),
  ],
  sessions: { resume: resumed },
  hostSessions: {
    resume: (secret, origin) =>
      Promise.resolve(origin === 'https://wiki.example.org' ? resumed(secret) : { ended }),
  },
}
