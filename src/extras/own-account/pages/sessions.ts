import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../../core/errors.ts'
import { reauthorize } from '../../../core/http/changes/reauthorize.ts'
import { goneMeanwhile } from '../../../core/http/changes/resource.ts'
import type { Needs } from '../../../core/module/services.ts'
import { parseUserAgent } from '../../../modules/devices/user-agent.ts'
import type { OwnSession } from '../../../modules/sessions/sessions.ts'
import { accountForm, accountPage, common, field, goOn, personOf, show } from './own-page.ts'
import type { SessionRow } from './views.ts'

const path = '/account/sessions'
const recent = { reauthentication: 'always' } as const

export async function sessionsPages(app: FastifyInstance, deps: Needs): Promise<void> {
  const { sessions } = deps

  app.get(path, accountPage(path), async (request, reply) => {
    const person = await personOf(deps, request)
    const live = await sessions.of(person.account.userId)
    const rows = live.map((session) => rowOf(session, session.id === person.sessionId))
    return show(reply, request, person, 'account-sessions', {
      ...common(request, person),
      // This session first, so that others stand out.
      sessions: rows.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent)),
    })
  })

  app.post(`${path}/end`, accountForm(path, recent), async (request, reply) => {
    const person = await personOf(deps, request)
    const { userId } = person.account
    const ended = await sessions.endOne(userId, field(request, 'session'), reauthorize(request))
    if (!ended) {
      const reason = { code: 'session_absent', facts: { user_id: userId } } as const
      throw new ApiError('sessionNotFound', { reason })
    }
    return goOn(reply, person, path, 'session_ended')
  })

  app.post(`${path}/end-others`, accountForm(path, recent), async (request, reply) => {
    const person = await personOf(deps, request)
    const ended = await sessions.endAll(person.account.userId, 'everywhere', {
      keepSession: person.sessionId,
      guard: reauthorize(request),
    })
    if (!ended) throw goneMeanwhile('accountNotFound')
    return goOn(reply, person, path, 'sessions_ended')
  })
}

function rowOf(
  { handle: id, userAgent, address, createdAt, lastSeenAt, isKept }: OwnSession,
  isCurrent: boolean,
): SessionRow {
  return { id, isCurrent, isKept, ...parseUserAgent(userAgent), address, createdAt, lastSeenAt }
}
