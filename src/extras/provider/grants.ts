import type { Context, Grant } from 'oidc-provider'
import type { Needs } from '../../core/module/services.ts'
import { consentStore } from './consents.ts'
import { EndedMeanwhile, workNow } from './work.ts'

/**
 * The grant of a request: made of what the person has let the application have, so that the library
 * asks for the rest alone.
 */
export function createGrants({ clients, db }: Pick<Needs, 'clients' | 'db'>) {
  return async (ctx: Context): Promise<Grant | undefined> => {
    const { client, entities, provider, requestParamScopes, session } = ctx.oidc
    const application = (await clients.find(client.clientId))?.application
    const accountId = entities.Account?.accountId
    if (!application || accountId === undefined) return undefined
    const before = session.grantIdFor(client.clientId)
    const grant = before === undefined ? undefined : await provider.Grant.find(before)
    const wanted = [...requestParamScopes]
    const allowed = await allowedScopes()
    const granted = wanted.filter((scope) => allowed === 'all' || allowed.includes(scope))
    const present = grant ?? new provider.Grant({ clientId: client.clientId, accountId })
    const isChanged = extend(ctx, present, granted)
    if (isChanged) await present.save()
    return isChanged || grant ? present : undefined

    async function allowedScopes(): Promise<readonly string[] | 'all'> {
      if (application?.consent === 'none') return 'all'
      if (application?.consent === 'always') return ctx.oidc.result?.consent?.scopes ?? []
      const of = { userId: Number(accountId), client: client.clientId }
      const stored = await consentStore(db).scopesOf(of.userId, of.client)
      if (stored.length > 0) {
        workNow().writes.push(async (trx) => {
          if (await consentStore(trx).has({ ...of, scopes: stored })) return
          throw new EndedMeanwhile('the person has withdrawn the consent')
        })
      }
      return stored
    }
  }
}

/** Whether the grant has become larger. */
function extend(ctx: Context, grant: Grant, scopes: readonly string[]): boolean {
  const { requestParamOIDCScopes, resourceServers } = ctx.oidc
  const has = new Set(grant.getOIDCScope().split(' '))
  const own = scopes.filter((scope) => requestParamOIDCScopes.has(scope) && !has.has(scope))
  if (own.length > 0) grant.addOIDCScope(own.join(' '))
  let isChanged = own.length > 0
  for (const [resource, server] of Object.entries(resourceServers)) {
    const given = new Set(grant.getResourceScope(resource).split(' '))
    const more = scopes.filter((scope) => server.scopes.has(scope) && !given.has(scope))
    if (more.length === 0) continue
    grant.addResourceScope(resource, more.join(' '))
    isChanged = true
  }
  return isChanged
}
