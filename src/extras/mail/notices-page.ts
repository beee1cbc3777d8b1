import type { FastifyInstance } from 'fastify'
import { accountPage, type PersonDeps, personOf, show } from '../own-account/pages/own-page.ts'
import type { Notice, Notices } from './notices.ts'
import type { NoticeRow } from './views.ts'

export interface NoticesPageDeps extends PersonDeps {
  readonly notices: Pick<Notices, 'of'>
}

const path = '/account/notices'

/** /account/notices: what happened to the account in the last 30 days. */
export async function noticesPages(app: FastifyInstance, deps: NoticesPageDeps): Promise<void> {
  app.get(path, accountPage(path), async (request, reply) => {
    const person = await personOf(deps, request)
    const notices = await deps.notices.of(person.account.userId)
    return show(reply, request, person, 'account-notices', { notices: notices.map(rowOf) })
  })
}

function rowOf({ type, at, facts: { by, during, origin } }: Notice): NoticeRow {
  const { address, device } = origin
  const [browser, system] = [device?.browser ?? null, device?.system ?? null]
  return { type: during ? 'locked_at_reset' : type, at, by, address, browser, system }
}
