import { type Guard, transact } from '../../core/database/transactions.ts'
import { rolesAmong } from '../../core/policy/principal.ts'
import type { ActiveToken } from '../../modules/tokens/introspection.ts'
import type { AskingClient, OtherTokens } from '../../modules/tokens/other-tokens.ts'
import { grantIdOf } from './adapter.ts'
import type { ApplicationTokens } from './application-tokens.ts'
import { tokensRevoked } from './events.ts'
import { createExplainedTokens } from './explained-tokens.ts'
import { accessKinds, createKnownTokens, findToken, type LiveToken } from './known-tokens.ts'
import type { ApplicationsNeeds } from './needs.ts'
import { artifactStore } from './store.ts'
import { createSubjects } from './subjects.ts'

const revocable = [...accessKinds, 'RefreshToken']

/** The tokens of applications at /oauth/introspect and /oauth/revoke. RFC 7662, RFC 7009 */
export function createTokenEndpoints(
  needs: ApplicationsNeeds,
  { claimsOf, judge }: ApplicationTokens,
): OtherTokens {
  const { clock, config, db, events } = needs
  const liveToken = createKnownTokens(needs)
  const subjectFor = createSubjects(needs)

  return {
    explain: createExplainedTokens(needs, { claimsOf }),

    async introspect(text, by) {
      if (!config.provider.isOn) return null
      const token = await liveToken(text)
      if (!token) return introspectJwt(text, by)
      return isFor(token.client, by) ? membersOf(token) : null
    },

    async revoke(text, by, guard) {
      if (!config.provider.isOn) return false
      const found = await findToken(db, text, { kinds: revocable, now: clock.now() })
      if (found) {
        if (!isFor(found.client, by)) return false
        return end(found, { id: found.id, grantId: found.grantId }, guard)
      }
      const token = await claimsOf(text)
      if (!token?.grant || !isFor(token.client_id, by)) return false
      const of = { client: token.client_id, userId: Number(token.sub) }
      return end(of, { id: null, grantId: grantIdOf(token.grant) }, guard)
    },
  }

  function membersOf({ account, application, claims, client }: LiveToken): ActiveToken {
    const { exp, iat, jkt, scope } = claims
    const rest = {
      ...({ active: true, token_type: jkt ? 'DPoP' : 'Bearer', iss: config.baseUrl } as const),
      ...{ aud: client, client_id: client, exp, iat },
      ...(scope !== undefined && { scope }),
      ...(jkt !== undefined && { cnf: { jkt } }),
    }
    if (account === null) return { ...rest, sub: `client:${client}` }
    const roles = rolesAmong(account.roles, config.roles)
    const sub = subjectFor(application, String(account.userId))
    // The username would identify the person behind a pairwise subject.
    const isNamed = application.subject === 'public' || scope?.split(' ').includes('profile')
    return { ...rest, sub, ...(isNamed && { username: account.username }), roles }
  }

  async function introspectJwt(text: string, by: AskingClient): Promise<ActiveToken | null> {
    const token = await claimsOf(text)
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
