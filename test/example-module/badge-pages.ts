import type { FastifyInstance } from 'fastify'
import { acceptForms } from '../../src/core/http/bodies/bodies.ts'
import { reauthorize } from '../../src/core/http/changes/reauthorize.ts'
import type { Needs } from '../../src/core/module/services.ts'
import {
  accountForm,
  accountPage,
  common,
  goOn,
  personOf,
  proofsOfForm,
  show,
} from '../../src/extras/own-account/pages/own-page.ts'
import { protectedForm, recentLogin } from '../../src/extras/own-account/pages/protected-form.ts'
import { qrOf } from '../../src/modules/totp/provisioning.ts'

const path = '/account/badge'
const change = 'x-note-badge'

/** The page of the own badge: to make one wants a proof of the person, as a second factor does. */
export async function routes(app: FastifyInstance, deps: Needs): Promise<void> {
  acceptForms(app)
  const { badges, config, proofs } = deps

  app.get(path, accountPage(path), async (request, reply) => {
    const person = await personOf(deps, request)
    const since = await badges.since(person.account.userId)
    return show(reply, request, person, 'account-badge', { ...common(request, person), since })
  })

  const making = {
    path: `${path}/make`,
    page: path,
    change,
    answers: { 200: {}, 303: {} },
  } as const
  protectedForm(app, deps, making, async (request, reply, person) => {
    const { account } = person
    const sent = proofsOfForm(deps, request)
    const guard = await proofs.prove(request, { account, change, sent })
    const words = await badges.make(account.userId, guard ?? reauthorize(request))
    // What follows `#` reaches no server and no log.
    const address = `${config.baseUrl}/signin?by=badge`
    const link = `${address}#${encodeURIComponent(account.username)}:${words}`
    const { username } = account
    const view = { username, words, link, qr: await qrOf(link) }
    return show(reply, request, person, 'account-new-badge', view)
  })

  app.post(`${path}/remove`, accountForm(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    await badges.remove(person.account.userId, reauthorize(request))
    return goOn(reply, person, path, 'badge_removed')
  })
}
