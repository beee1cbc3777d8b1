import type { Config } from '../../../core/config/load.ts'
import type { ApiError } from '../../../core/errors.ts'
import { type ViewPage, viewPage } from '../../../core/http/pages/send-view.ts'
import { isLanguage } from '../../../core/lib/languages.ts'
import type { PageFlow } from '../../../modules/flows/flows.ts'
import { passwordProblemOf } from '../../../modules/pages/password-problem.ts'
import type { Asked } from '../../../modules/pages/sign-in/views.ts'
import { type MailboxData, mailboxView } from '../../mail/mailbox-page.ts'
import type { Confirmation } from '../../one-time-tokens/confirmations.ts'
import type { ResetDoneView, ResetFactorView, ResetPasswordView, ResetView } from './views.ts'

export interface ResetData extends MailboxData {
  /** Username or address. */
  readonly typed?: string
  readonly confirmation?: Confirmation
  readonly isFactorProved?: boolean
  readonly done?: ResetDoneView['done']
}

export type ResetFlow = PageFlow<ResetData>
export type ResetStep = 'ask' | 'mailbox' | 'factor' | 'password' | 'done'

export interface Shown {
  readonly flow: ResetFlow
  readonly now: number
  /** Shown only after the mail proof. */
  readonly username: string
  readonly asked: Asked
  readonly needsNoPassword?: boolean
  readonly typed?: string
  readonly notice?: ResetView['notice']
  readonly error?: ApiError
}

export function pageOf({ config }: { config: Pick<Config, 'password'> }, shown: Shown): ViewPage {
  const { asked, flow, error, username } = shown
  const form = { action: `/reset?flow=${flow.id}`, csrf: flow.csrfToken }
  const options = {
    ...(error && { status: error.status }),
    ...(isLanguage(flow.language) && { hint: flow.language }),
  }
  const retryAfterSeconds = error?.retryAfterSeconds ?? null
  const isTooOften = error?.row === 'tooManyRequests'
  const isRestored = flow.data.confirmation?.facts.restored === true
  const of = { ...form, username, notice: isRestored ? ('restored' as const) : null }
  switch (flow.step as ResetStep) {
    case 'mailbox': {
      const view = { ...mailboxView(form, flow.data, shown), typed: flow.data.typed ?? '' }
      return viewPage('reset-mailbox', view, options)
    }
    case 'factor': {
      const problem = factorProblem(error)
      return viewPage('reset-factor', { ...of, ...asked, problem, retryAfterSeconds }, options)
    }
    case 'password': {
      const { minLength } = config.password
      const deletion = deletionOf(shown)
      const view = { ...of, minLength, deletion, ...passwordProblems(error) }
      return viewPage('reset-password', view, options)
    }
    case 'done':
      return viewPage('reset-done', { username, done: flow.data.done ?? 'password' }, options)
    default: {
      const { typed = '', notice = null } = shown
      const problem = isTooOften ? 'too_often' : error ? askProblem(typed) : null
      return viewPage('reset', { ...form, typed, problem, retryAfterSeconds, notice }, options)
    }
  }
}

function deletionOf({ flow, needsNoPassword }: Shown): ResetPasswordView['deletion'] {
  if (flow.data.confirmation?.purpose !== 'deletion_undo') return null
  return needsNoPassword ? 'password_optional' : 'with_password'
}

function askProblem(typed: string): 'missing' | 'form' {
  return typed.trim() === '' ? 'missing' : 'form'
}

function factorProblem(error: ApiError | undefined): ResetFactorView['problem'] {
  if (!error) return null
  if (error.reason.code === 'passkey_refused') return 'passkey'
  if (error.status === 429) return 'throttled'
  return error.row === 'secondFactorRequired' ? 'missing' : 'wrong'
}

function passwordProblems(error: ApiError | undefined) {
  return {
    problem: error ? passwordProblemOf(error, 'new_password') : null,
    differs: error?.details?.some(({ path: [field] }) => field === 'new_password_again') ?? false,
  }
}
