import type { FastifyInstance } from 'fastify'
import { lockName, transact } from '../../../core/database/transactions.ts'
import { positiveInteger } from '../../../core/http/lists/paging.ts'
import type { Needs } from '../../../core/module/services.ts'
import { identityAbsent } from '../../../modules/federation/identities.ts'
import { beginLink } from '../../../modules/federation/link.ts'
import type { Provider } from '../../../modules/federation/provider.ts'
import { browserOf, flowOf } from '../../../modules/flows/requests.ts'
import { accountPage, common, goOn, personOf, proofsOfForm, show } from './own-page.ts'
import { protectedForm, recentLogin } from './protected-form.ts'

interface Leaving {
  readonly provider: string
  readonly url: string
}

const path = '/account/providers'
const purpose = 'page_account'
const leavingSeconds = 300

export async function providersPages(app: FastifyInstance, deps: Needs): Promise<void> {
  const { db, identities, pageFlows, proofs, providers, random } = deps

  app.get(path, accountPage(path), async (request, reply) => {
    const person = await personOf(deps, request)
    const linked = await identities.of(person.account.userId)
    return show(reply, request, person, 'account-providers', {
      ...common(request, person),
      linked: linked.map(({ id, issuer, createdAt }) => ({
        id,
        provider: nameOf(providers.issuing(issuer)),
        issuer,
        since: createdAt,
      })),
      offered: providers.all
        .filter(({ config }) => config.client)
        .map(({ config: { label, name } }) => ({ name, label })),
    })
  })

  // form-action forbids other origins, so our page redirects.
  const link = {
    path: `${path}/link`,
    page: path,
    change: 'identity',
    fields: ['provider'],
  } as const
  protectedForm(app, deps, link, async (request, reply, person, fields) => {
    const { userId } = person.account
    const provider = fields('provider')
    const url = await beginLink(deps, request, reply, {
      provider,
      returnTo: path,
      sent: proofsOfForm(deps, request),
    })
    const data: Leaving = { provider: new URL(url.href).host, url: url.href }
    const flow = await transact(db, [lockName.account(userId)], (trx) =>
      pageFlows.begin(
        trx,
        { purpose, step: 'leaving', data, returnTo: path, seconds: leavingSeconds, userId },
        browserOf(request, reply, random),
      ),
    )
    return reply.redirect(`${path}/leave?flow=${flow.id}`, 303)
  })

  app.get(`${path}/leave`, accountPage(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    const flow = await flowOf<Leaving>(pageFlows, request, purpose)
    if (flow?.step !== 'leaving' || flow.userId !== person.account.userId) {
      return reply.redirect(path, 303)
    }
    return show(reply, request, person, 'account-leaving', flow.data)
  })

  const unlink = {
    path: `${path}/unlink`,
    page: path,
    change: 'identity_removal',
    fields: ['identity'],
  } as const
  protectedForm(app, deps, unlink, async (request, reply, person, fields) => {
    const id = positiveInteger(fields('identity'))
    if (id === null) throw identityAbsent()
    const { account } = person
    await identities.assertLinked(account.userId, id)
    const sent = proofsOfForm(deps, request)
    const guard = await proofs.prove(request, { account, change: 'identity_removal', sent })
    await identities.unlink(account.userId, id, guard)
    return goOn(reply, person, path, 'unlinked')
  })
}

/** Null: no provider of the settings. */
function nameOf(provider: Provider | undefined): string | null {
  if (!provider) return null
  const { label, name, preset } = provider.config
  return preset === null ? name : label
}
