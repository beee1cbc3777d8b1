import type { Context, Prompt as LibraryPrompt } from 'oidc-provider'
import type { Needs } from '../../core/module/services.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Application } from '../../modules/clients/application.ts'
import { isAllowed } from './account-claims.ts'
import { consentStore } from './consents.ts'
import { wishesTwoFactors } from './interaction-login.ts'
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
  /** What the person has let the application have before. */
  readonly given: readonly string[]
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
    'two_factors_wished',
    'login_required',
    ({ account, ctx: { oidc } }) =>
      account !== null &&
      wishesTwoFactors(oidc.params, account) &&
      // Voluntary: without a page, the sign-in continues with one factor.
      !oidc.prompts.has('none') &&
      !oidc.result?.login &&
      oidc.session.amr?.includes('mfa') !== true,
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
    ({ application, account, ctx, given }) =>
      application.consent === 'none' &&
      account?.email === null &&
      ctx.oidc.requestParamScopes.has('email') &&
      !ctx.oidc.result?.consent &&
      !given.includes('email'),
  ],
]

/** When a person is asked: what the library knows, and what the entry of the application wants. */
export function createPolicy(
  { interactionPolicy }: Library,
  { clients, db }: Pick<Needs, 'clients' | 'db'>,
) {
  const { Check, Prompt, base } = interactionPolicy
  const policy = base()
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0)
  const add = (prompt: LibraryPrompt, asks: readonly Ask[]) => {
    for (const [reason, error, isAsked] of asks) {
      const check = async (ctx: Context) => {
        const id = ctx.oidc.client.clientId
        const application = (await clients.find(id))?.application
        if (!application) return true
        const found = ctx.oidc.entities.Account as AccountOfLibrary | undefined // of `findAccount`
        const account = found?.account ?? null
        const asksForMore = account?.email === null && application.consent === 'none'
        const given = asksForMore ? await consentStore(db).scopesOf(account.userId, id) : []
        return isAsked({ ctx, application, account, given })
      }
      prompt.checks.add(new Check(reason, reason.replaceAll('_', ' '), error, check))
    }
  }
  add(policy.get('login'), atLogin)
  add(policy.get('consent'), atConsent)
  return policy
}
