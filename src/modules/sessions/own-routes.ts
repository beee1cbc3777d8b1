import { ApiError } from '../../core/errors.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import { assertRecentLogin } from '../../core/http/routes/reauthentication.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { authenticated } from '../../core/policy/rules.ts'
import { ownAccount, ownAccountPrefixes, ownOperationId, ownSession } from '../accounts/look-up.ts'
import { clearSessionCookie } from './cookie.ts'
import { SessionList, showSession } from './schemas.ts'

export const prefixes = ownAccountPrefixes

const access = { rule: authenticated }

const SessionName = {
  type: 'object',
  required: ['id'],
  properties: {
    id: {
      type: 'string',
      description: 'The `id` of a listed session',
      examples: ['mZ1c0GQ2n5v8y3b6'],
    },
  },
} as const

/**
 * GET and DELETE /sessions, and DELETE /sessions/{id}, below /api/user/account (role USER) and
 * /api/account (any account).
 */
export async function routes(
  app: App,
  { accounts, clock, config, sessions }: Needs,
): Promise<void> {
  const idOf = (id: string) => ownOperationId(id, app.prefix)

  app.get(
    '/sessions',
    {
      config: { access, errors: ['accountNotFound'] },
      schema: {
        operationId: idOf('listOwnSessions'),
        summary: "One's own live sessions",
        response: { 200: SessionList },
      },
    },
    async (request) => {
      const { userId } = await ownAccount(accounts, request)
      const current = ownSession(request, userId)
      const live = await sessions.of(userId)
      return live.map((session) => showSession(session, session.id === current))
    },
  )

  app.delete(
    '/sessions/:id',
    {
      config: {
        access,
        reauthentication: 'conditional',
        errors: ['accountNotFound', 'sessionNotFound'],
        responseHeaders: ['set-cookie'],
        examples: { answer: { message: 'Session ended' } },
      },
      schema: {
        operationId: idOf('endOwnSession'),
        summary: "End one of one's own sessions",
        params: SessionName,
        response: { 200: Message },
      },
    },
    async (request, reply) => {
      const { userId } = await ownAccount(accounts, request)
      const current = ownSession(request, userId)
      const live = await sessions.of(userId)
      const own = live.find(({ id }) => id === current)
      // Ending the session of the request itself is a logout.
      if (own?.handle !== request.params.id) assertRecentLogin(request, config, clock)
      const ended = await sessions.endOne(userId, request.params.id, reauthorize(request))
      if (!ended) {
        const reason = { code: 'session_absent', facts: { user_id: userId } } as const
        throw new ApiError('sessionNotFound', { reason })
      }
      if (ended.id === current) clearSessionCookie(reply, config)
      return { message: 'Session ended' }
    },
  )

  app.delete(
    '/sessions',
    {
      config: {
        access,
        reauthentication: 'always',
        errors: ['accountNotFound'],
        examples: { answer: { message: 'All other sessions and all tokens ended' } },
      },
      schema: {
        operationId: idOf('endOtherSessions'),
        summary: 'Log out everywhere else: all other sessions and all tokens end',
        response: { 200: Message },
      },
    },
    async (request) => {
      const { userId } = await ownAccount(accounts, request)
      const ended = await sessions.endAll(userId, 'everywhere', {
        keepSession: ownSession(request, userId),
        guard: reauthorize(request),
      })
      if (!ended) throw goneMeanwhile('accountNotFound')
      return { message: 'All other sessions and all tokens ended' }
    },
  )
}
