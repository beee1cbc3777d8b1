import type { FastifyInstance } from 'fastify'
import type { Needs } from '../../core/module/services.ts'
import { accountPage, personOf, show } from '../own-account/pages/own-page.ts'
import type { Notice } from './notices.ts'
import type { NoticeRow } from './views.ts'

const path = '/account/notices'

export async function routes(app: FastifyInstance, deps: Needs): Promise<void> {
  app.get(path, accountPage(path), async (request, reply) => {
    const person = await personOf(deps, request)
    const notices = await deps.notices.of(person.account.userId)
    return show(reply, request, person, 'account-notices', { notices: notices.map(rowOf) })
  })
}

function rowOf({ type, at, facts: { by, during, origin, words } }: Notice): NoticeRow {
  const { address, device } = origin
  const [browser, system] = [device?.browser ?? null, device?.system ?? null]
  return {
    type: during ? 'locked_at_reset' : type,
    at,
    by,
    address,
    browser,
    system,
    words: words ?? null,
  }
}
