import { exactly, named, rolesOf, type Static, Text, Time } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Role } from '../../core/policy/principal.ts'
import { ann } from '../users/schemas.ts'
import type { OwnSession } from './sessions.ts'

const session = exactly({
  id: { type: 'string', description: 'A name for it, and not the cookie' },
  current: { type: 'boolean', description: 'Whether this request came with it' },
  created_at: Time,
  last_seen_at: Time,
  address: { type: 'string', description: 'Of the client at the login' },
  user_agent: Text,
})

const SessionBody = named(
  'Session',
  {
    ...session,
    properties: {
      ...session.properties,
      kept: {
        const: true,
        description: 'Began with "Keep me signed in", and ends by its age alone',
      },
    },
  },
  {
    id: 'mZ1c0GQ2n5v8y3b6',
    current: true,
    created_at: '2026-03-02T09:15:00.000Z',
    last_seen_at: '2026-03-02T09:30:00.000Z',
    address: '203.0.113.9',
    user_agent: 'Mozilla/5.0',
  },
)

/** For examples. */
export const csrf_token = 'f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0'

/** Spec 4.1. */
export const SessionAnswer = named(
  'StartedSession',
  exactly({
    message: Text,
    csrf_token: { type: 'string', description: 'To be sent as X-CSRF-Token' },
  }),
  { message: 'Logged in', csrf_token },
)

export const sessionState = (roles: readonly Role[]) =>
  named(
    'CurrentSession',
    exactly({
      user_id: Text,
      username: Text,
      roles: rolesOf(roles),
      csrf_token: { type: 'string', description: 'To be sent as X-CSRF-Token' },
      expires_at: Time,
    }),
    {
      user_id: String(ann.id),
      username: 'ann',
      roles: ['USER'],
      csrf_token,
      expires_at: '2026-03-02T10:00:00.000Z',
    },
  )

/** Newest first; at most 1000. */
export const SessionList = { type: 'array', items: SessionBody } as const

/** `current`: the session of the request. */
export function showSession(session: OwnSession, current: boolean): Static<typeof SessionBody> {
  return {
    id: session.handle,
    current,
    created_at: isoTime(session.createdAt),
    last_seen_at: isoTime(session.lastSeenAt),
    address: session.address,
    user_agent: session.userAgent,
    ...(session.isKept && { kept: true }),
  }
}
