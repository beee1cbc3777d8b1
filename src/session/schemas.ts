import { type Static, Text, Time } from '../http/schemas.ts'
import { isoTime } from '../kernel/clock.ts'
import type { OwnSession } from './sessions.ts'

const SessionBody = {
  type: 'object',
  required: ['id', 'current', 'created_at', 'last_seen_at', 'address', 'user_agent'],
  properties: {
    id: { type: 'string', description: 'A name for it, and not the cookie' },
    current: { type: 'boolean', description: 'Whether this request came with it' },
    created_at: Time,
    last_seen_at: Time,
    address: { type: 'string', description: 'Of the client at the login' },
    user_agent: Text,
  },
  additionalProperties: false,
} as const

/** The live sessions of one account, the newest first; at most the newest 1000. */
export const SessionList = { type: 'array', items: SessionBody } as const

/** Shows a session on the wire; `current`: the request was made with it. */
export function showSession(session: OwnSession, current: boolean): Static<typeof SessionBody> {
  return {
    id: session.handle,
    current,
    created_at: isoTime(session.createdAt),
    last_seen_at: isoTime(session.lastSeenAt),
    address: session.address,
    user_agent: session.userAgent,
  }
}
