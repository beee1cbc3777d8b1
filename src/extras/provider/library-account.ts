import type { Context } from 'oidc-provider'
import {
  allowsToken,
  claimsByScope,
  claimsFor,
  claimsOf,
  isAllowed,
  usableAccount,
} from './account-claims.ts'
import type { ApplicationsNeeds } from './needs.ts'
import type { AccountOfLibrary } from './policy.ts'
import { sidOf } from './sign-outs.ts'
import { workNow } from './work.ts'

/** The person of a request or a token, while the application may have that person. */
export function findAccountOf(deps: ApplicationsNeeds) {
  const { clients } = deps
  return async (
    ctx: Context,
    subject: string,
    token?: {
      readonly kind: string
      readonly amr?: readonly string[]
      readonly scope?: string
    },
  ): Promise<AccountOfLibrary | undefined> => {
    const account = await usableAccount(deps, subject)
    const application = (await clients.find(ctx.oidc.client.clientId))?.application
    if (!account || !application) return undefined
    workNow().userId = account.userId
    // At a new sign-in a page says why not: see policy.ts.
    if (token && !isAllowed(application, account)) return undefined
    if (token && !allowsToken(application, token)) return undefined
    return {
      accountId: subject,
      account,
      async claims(use) {
        const { sessionId } = workNow()
        const place = use === 'id_token' ? 'id_token' : 'userinfo'
        const byScope = claimsByScope(deps.accountClaims.names(place))
        const all = claimsFor(application, use, await claimsOf(deps, account, place), byScope)
        if (use !== 'id_token' || sessionId === null) return all
        return { ...all, sid: sidOf(sessionId, ctx.oidc.client.clientId) }
      },
    }
  }
}
