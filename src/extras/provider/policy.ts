import type { Context, Prompt } from 'oidc-provider'
import type { Account } from '../../modules/authentication/account.ts'
import type { Application } from '../../modules/clients/application.ts'
import type { Clients } from '../../modules/clients/clients.ts'
import { isAllowed } from './account-claims.ts'
import type { Library } from './library.ts'

/** What `findAccount` answers. */
export interface AccountOfLibrary {
  readonly accountId: string
  readonly account: Account
  claims(use: string): Promise<Record<string, unknown>>
}

interface Facts {
  readonly ctx: Context
  readonly application: Application
  /** Null without a session. */
  readonly account: Account | null
}

type Ask = readonly [reason: string, error: string, asks: (facts: Facts) => boolean]

const atLogin: readonly Ask[] = [
  [
    'two_factors',
    'login_required',
    ({ application, account, ctx }) =>
      account !== null &&
      application.needsTwoFactors &&
      ctx.oidc.session.amr?.includes('mfa') !== true,
  ],
  [
    'not_allowed',
    'access_denied',
    ({ application, account }) => account !== null && !isAllowed(application, account),
  ],
]

const atConsent: readonly Ask[] = [
  [
    'asked_always',
    'consent_required',
    ({ application, ctx }) => application.consent === 'always' && !ctx.oidc.result?.consent,
  ],
  [
    'email_missing',
    'consent_required',
    ({ account, ctx }) =>
      account?.email === null &&
      ctx.oidc.requestParamScopes.has('email') &&
      !ctx.oidc.result?.consent,
  ],
]

/** When a person is asked: what the library knows, and what the entry of the application wants. */
export function createPolicy({ interactionPolicy }: Library, { byId }: Pick<Clients, 'byId'>) {
  const { Check, base } = interactionPolicy
  const policy = base()
  const add = (prompt: Prompt, asks: readonly Ask[]) => {
    for (const [reason, error, isAsked] of asks) {
      const check = (ctx: Context) => {
        const application = byId(ctx.oidc.client.clientId)?.application
        const found = ctx.oidc.entities.Account as AccountOfLibrary | undefined // of `findAccount`
        return !application || isAsked({ ctx, application, account: found?.account ?? null })
      }
      prompt.checks.add(new Check(reason, reason.replaceAll('_', ' '), error, check))
    }
  }
  add(policy.get('login'), atLogin)
  add(policy.get('consent'), atConsent)
  return policy
}
