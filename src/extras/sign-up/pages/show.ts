import type { Config } from '../../../core/config/load.ts'
import type { ApiError } from '../../../core/errors.ts'
import { type ViewPage, viewPage } from '../../../core/http/pages/send-view.ts'
import { isLanguage } from '../../../core/lib/languages.ts'
import { type AccountField, shownInputs } from '../../../modules/accounts/account-field.ts'
import type { PageFlow } from '../../../modules/flows/flows.ts'
import { foreignOrigin } from '../../../modules/flows/return-to.ts'
import { type MailboxData, mailboxView } from '../../mail/mailbox-page.ts'
import type { Confirmation } from '../../one-time-tokens/confirmations.ts'
import { type ProfileFormInput, problemsOfError } from './problems.ts'
import type { ProfileProblems, SignUpView } from './views.ts'

/** Each step has the results of earlier steps. */
export interface SignUpData extends MailboxData {
  /** As typed. */
  readonly email?: string
  /** Set once the link or code is verified. */
  readonly confirmation?: Confirmation
}

export type SignUpFlow = PageFlow<SignUpData>
export const steps = ['address', 'mailbox', 'profile', 'taken'] as const
export type Step = (typeof steps)[number]

export interface Shown {
  readonly flow: SignUpFlow
  readonly now: number
  /** The typed text, repeated after an error. */
  readonly email?: string
  readonly profile?: ProfileFormInput
  readonly problems?: ProfileProblems
  readonly isEnded?: boolean
  readonly error?: ApiError
}

export interface ShowDeps {
  readonly accountFields: () => readonly AccountField[]
  readonly config: Pick<Config, 'password'>
}

export function pageOf({ accountFields, config }: ShowDeps, shown: Shown): ViewPage {
  const { flow, error, profile } = shown
  const { confirmation } = flow.data
  const form = { action: `/signup?flow=${flow.id}`, csrf: flow.csrfToken }
  const status = error?.status ?? (hasProblems(shown) ? 400 : 200)
  const options = {
    status,
    here: form.action,
    returnOrigin: foreignOrigin(flow.returnTo),
    ...(isLanguage(flow.language) && { hint: flow.language }),
  }
  const retryAfterSeconds = error?.retryAfterSeconds ?? null
  const isTooOften = error?.row === 'tooManyRequests'
  const email = shown.email ?? flow.data.email ?? ''
  switch (flow.step as Step) {
    case 'mailbox':
      return viewPage('sign-up-mailbox', { ...mailboxView(form, flow.data, shown), email }, options)
    case 'profile': {
      const { username = '', name = '', texts = {} } = profile ?? {}
      const problems = shown.problems ?? (error ? problemsOfError(error, accountFields()) : {})
      const { address = '' } = confirmation?.address ?? {}
      const { minLength } = config.password
      const asked = accountFields().flatMap((field) => field.inputs())
      const inputs = shownInputs(asked, texts, problems.inputs)
      const view = { ...form, email: address, username, name, inputs, minLength, problems }
      return viewPage('sign-up-profile', view, options)
    }
    case 'taken':
      return viewPage('sign-up-taken', {}, options)
    default: {
      const isEnded = shown.isEnded ?? false
      const problem = isTooOften ? 'too_often' : emailProblem(error)
      return viewPage('sign-up', { ...form, email, problem, retryAfterSeconds, isEnded }, options)
    }
  }
}

function hasProblems({ problems }: Shown): boolean {
  return problems !== undefined && Object.keys(problems).length > 0
}

function emailProblem(error: ApiError | undefined): SignUpView['problem'] {
  if (!error) return null
  return /domain/.test(error.details?.[0]?.message ?? '') ? 'domain' : 'form'
}
