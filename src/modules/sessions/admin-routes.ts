import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { accountNamed, ownSession } from '../accounts/look-up.ts'
import { AccountName } from '../accounts/schemas.ts'
import { SessionList, showSession } from './schemas.ts'

const path = '/api/admin/accounts/:username/sessions'
const access = { rule: role('ADMIN') }

export async function routes(app: App, { accounts, sessions }: Needs): Promise<void> {
  const named = accountNamed(accounts)

  app.get(
    path,
    {
      config: { tag: 'Administration of accounts', access, resource: named },
      schema: {
        operationId: 'listSessions',
        summary: 'The live sessions of an account',
        params: AccountName,
        response: { 200: SessionList },
      },
    },
    async (request) => {
      const { userId } = named.of(request)
      const current = ownSession(request, userId)
      const live = await sessions.of(userId)
      return live.map((session) => showSession(session, session.id === current))
    },
  )

  app.delete(
    path,
    {
      config: {
        tag: 'Administration of accounts',
        access,
        resource: named,
        examples: { answer: { message: 'All sessions and all tokens ended' } },
      },
      schema: {
        operationId: 'endSessions',
        summary: 'End all sessions and all tokens of an account; the session that asks goes on',
        params: AccountName,
        response: { 200: Message },
      },
    },
    async (request) => {
      const { userId } = named.of(request)
      const ended = await sessions.endAll(userId, 'administrator', {
        keepSession: ownSession(request, userId),
        guard: reauthorize(request),
      })
      if (!ended) throw goneMeanwhile('accountNotFound')
      return { message: 'All sessions and all tokens ended' }
    },
  )
}
