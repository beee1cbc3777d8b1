import { type Guard, transact } from '../../core/database/transactions.ts'
import { rolesAmong } from '../../core/policy/principal.ts'
import type { ActiveToken } from '../../modules/tokens/introspection.ts'
import type { AskingClient, OtherTokens } from '../../modules/tokens/other-tokens.ts'
import { isAllowed, usableAccount } from './account-claims.ts'
import { grantIdOf, idOf } from './adapter.ts'
import type { ApplicationTokens } from './application-tokens.ts'
import { tokensRevoked } from './events.ts'
import { createExplainedTokens, opaque } from './explained-tokens.ts'
import type { ApplicationsNeeds } from './needs.ts'
import { createSealing } from './storage.ts'
import { type Artifact, artifactStore } from './store.ts'

const access = ['AccessToken', 'ClientCredentials']
const revocable = [...access, 'RefreshToken']

/** The tokens of applications at /oauth/introspect and /oauth/revoke. RFC 7662, RFC 7009 */
export function createTokenEndpoints(
  needs: ApplicationsNeeds,
  { claimsOf, judge }: ApplicationTokens,
): OtherTokens {
  const { clients, clock, config, db, events, sessions } = needs
  const sealing = createSealing(needs)

  return {
    explain: createExplainedTokens(needs, { claimsOf }),

    async introspect(text, by) {
      const found = await stored(text, access)
      if (!found) return introspectJwt(text, by)
      return isFor(found.client, by) ? membersOf(found) : null
    },

    async revoke(text, by, guard) {
      const found = await stored(text, revocable)
      if (found) {
        if (!isFor(found.client, by)) return false
        return end(found, { id: found.id, grantId: found.grantId }, guard)
      }
      const token = config.provider.isOn ? await claimsOf(text) : null
      if (!token?.grant || !isFor(token.client_id, by)) return false
      const of = { client: token.client_id, userId: Number(token.sub) }
      return end(of, { id: null, grantId: grantIdOf(token.grant) }, guard)
    },
  }

  async function stored(text: string, kinds: readonly string[]): Promise<Artifact | null> {
    if (!config.provider.isOn || !opaque.test(text)) return null
    const store = artifactStore(db)
    for (const kind of kinds) {
      const found = await store.byId(idOf(kind, text), clock.now())
      if (found) return found
    }
    return null
  }

  async function membersOf(row: Artifact): Promise<ActiveToken | null> {
    const application = (await clients.find(row.client))?.application
    if (!application) return null
    if (row.sessionId !== null && !(await sessions.judge(row.sessionId))) return null
    const { exp, iat, jkt, scope } = sealing.open(row.id, row.sealed) as {
      exp: number
      iat: number
      jkt?: string
      scope?: string
    } // as the library has written it
    if (clock.now() >= exp * 1000) return null
    const rest = {
      ...({ active: true, token_type: jkt ? 'DPoP' : 'Bearer', iss: config.baseUrl } as const),
      ...{ aud: row.client, client_id: row.client, exp, iat },
      ...(scope !== undefined && { scope }),
      ...(jkt !== undefined && { cnf: { jkt } }),
    }
    if (row.userId === null) return { ...rest, sub: `client:${row.client}` }
    const account = await usableAccount(needs, String(row.userId))
    if (!account || !isAllowed(application, account)) return null
    const roles = rolesAmong(account.roles, config.roles)
    return { ...rest, sub: String(row.userId), username: account.username, roles }
  }

  async function introspectJwt(text: string, by: AskingClient): Promise<ActiveToken | null> {
    const token = config.provider.isOn ? await claimsOf(text) : null
    const isOfAudience =
      token && (by.id === token.client_id || by.audiences.has(config.token.audience))
    const judged = isOfAudience ? await judge(token) : null
    if (!token || !judged) return null
    const { client_id, cnf, exp, iat, jti, sub } = token
    const { account, scopes } = judged
    const scope = [...scopes].join(' ')
    return {
      ...({ active: true, token_type: cnf ? 'DPoP' : 'Bearer', iss: config.baseUrl, sub } as const),
      ...{ aud: config.token.audience, client_id, exp, iat, jti, scope },
      ...(cnf && { cnf }),
      ...(account && {
        username: account.username,
        roles: rolesAmong(account.roles, config.roles),
      }),
    }
  }

  /** Everything that came of the grant ends with one of its tokens. RFC 7009 section 2.1 */
  async function end(
    { client, userId }: { readonly client: string; readonly userId: number | null },
    { grantId, id }: { readonly grantId: string | null; readonly id: string | null },
    guard: Guard | undefined,
  ): Promise<boolean> {
    await transact(
      db,
      [],
      async (trx) => {
        const store = artifactStore(trx)
        if (id !== null) await store.remove(id)
        if (grantId !== null) await store.removeGrant(grantId)
        await events.emitInTransaction(trx, tokensRevoked, { user_id: userId, client })
      },
      guard,
    )
    return true
  }
}

/** The application itself, and a service whose audiences name it. */
function isFor(client: string, { audiences, id }: AskingClient): boolean {
  return client === id || audiences.has(client)
}
