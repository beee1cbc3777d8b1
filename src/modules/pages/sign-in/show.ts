import type { Config } from '../../../core/config/load.ts'
import type { ApiError } from '../../../core/errors.ts'
import { type ViewPage, viewPage } from '../../../core/http/pages/send-view.ts'
import type {
  FactorView,
  MailedView,
  NewPasswordView,
  SignInForm,
  SignInView,
} from '../../../core/http/pages/views/sign-in.ts'
import { isLanguage } from '../../../core/lib/languages.ts'
import { resendSecondsAt } from '../../../extras/mail/mailbox-page.ts'
import { foreignOrigin, home } from '../../flows/return-to.ts'
import { qrOf } from '../../totp/provisioning.ts'
import { passwordProblemOf } from '../password-problem.ts'
import type { SignInFlow } from './pipeline.ts'
import type { ProviderLink } from './providers.ts'

/** What a page shows beside its flow. */
export interface Shown {
  readonly flow: SignInFlow
  /** The name of the account, once a proof has told it. */
  readonly username: string
  /** What was typed before, which a page of a problem keeps. */
  readonly typed?: string
  /** Whether the person asked for the form of the mail. */
  readonly isByMail?: boolean
  readonly isEnded?: boolean
  readonly error?: ApiError
  readonly now: number
}

export interface ShowDeps {
  readonly config: Pick<Config, 'confirmations' | 'login' | 'password' | 'signInByMail' | 'signUp'>
  readonly providers: readonly ProviderLink[]
  /** Whether mail can be sent. */
  readonly hasMail: boolean
}

/** Where a sign-in begins that returns to an address. */
export function beginningOf(returnTo: string, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ return_to: returnTo, ...more })
  return `/signin?${query}`
}

/** The page of the step at which a sign-in stands, with what is wrong with the last request. */
export async function showSignIn(deps: ShowDeps, shown: Shown): Promise<ViewPage> {
  const qr = shown.flow.data.enrolment ? await qrOf(shown.flow.data.enrolment.uri) : ''
  return pageOf(deps, shown, qr)
}

/** The same of a request that was refused; the QR code was drawn before. */
export function pageOf(deps: ShowDeps, shown: Shown, qr: string): ViewPage {
  const { flow, error, isByMail = false } = shown
  const { data, returnTo, step } = flow
  const isThrottled = error?.status === 429
  const form: SignInForm = {
    action: `/signin?flow=${flow.id}`,
    csrf: flow.csrfToken,
    begin: beginningOf(returnTo, data.again === null ? {} : { again: '1' }),
    retryAfterSeconds: error?.retryAfterSeconds ?? null,
  }
  const options = {
    hint: isLanguage(flow.language) ? flow.language : null,
    here: form.action,
    returnOrigin: foreignOrigin(returnTo),
  }
  switch (step) {
    case 'second_factor':
      return viewPage('sign-in-second-factor', { ...form, problem: codeProblem(error) }, options)
    case 'password_change':
      return viewPage('sign-in-new-password', newPassword(), options)
    case 'enrolment': {
      const { secret = '' } = data.enrolment ?? {}
      const view = { ...form, secret, qr, problem: codeProblem(error) }
      return viewPage('sign-in-enrolment', view, options)
    }
    case 'recovery_codes':
      return viewPage(
        'sign-in-recovery-codes',
        { ...form, codes: data.recoveryCodes ?? [] },
        options,
      )
    case 'email_code':
      return viewPage('sign-in-mailed', mailed(), options)
    case 'email_link': {
      const { asked = null, username } = data.link ?? { username: '' }
      return viewPage('sign-in-link', { ...form, username, asked }, options)
    }
    default:
      return isByMail
        ? viewPage('sign-in-by-mail', byMail(), options)
        : viewPage('sign-in', password(), options)
  }

  function password(): SignInView {
    const { providers, hasMail, config } = deps
    const returning = returnTo === home ? '' : `?${new URLSearchParams({ return_to: returnTo })}`
    const isOpen = data.again === null
    const again = isOpen ? [] : [['again', '1']]
    const query = [...(returnTo === home ? [] : [['return_to', returnTo]]), ...again]
    const asking = query.length === 0 ? '' : `?${new URLSearchParams(query)}`
    const signUp = returnTo === ownAccount ? '/signup' : `/signup${returning}`
    return {
      ...form,
      username: data.again ?? shown.typed ?? '',
      isAgain: data.again !== null,
      problem: passwordProblem(error, shown),
      hasCaptcha: error?.row === 'captchaRequired',
      providers: providers.map(({ login, label }) => ({ href: `${login}${asking}`, label })),
      byMail: config.signInByMail && hasMail ? `${form.action}&by=mail` : null,
      reset: hasMail && isOpen ? '/reset' : null,
      signUp: hasMail && isOpen && config.signUp.mode === 'open' ? signUp : null,
    }
  }

  function newPassword(): NewPasswordView {
    const { minLength } = deps.config.password
    const problem = isThrottled ? 'throttled' : newPasswordProblem(error)
    return { ...form, username: shown.username, minLength, problem }
  }

  function byMail() {
    const problem = isThrottled ? 'throttled' : error ? 'form' : null
    return { ...form, email: shown.typed ?? '', problem } as const
  }

  function mailed(): MailedView {
    const { address = '', askedAt = 0 } = data.mail ?? {}
    const problem = isThrottled
      ? 'throttled'
      : error?.row === 'confirmationInvalid'
        ? 'wrong'
        : error
          ? 'missing'
          : null
    return {
      ...form,
      email: address,
      lifetimeSeconds: deps.config.confirmations.signInSeconds,
      resendSeconds: resendSecondsAt(shown.now, askedAt),
      problem,
    }
  }
}

// Where a sign-up leads by itself.
const ownAccount = '/account'

function passwordProblem(
  error: ApiError | undefined,
  { isEnded = false, typed }: Shown,
): SignInView['problem'] {
  if (!error) return isEnded ? 'ended' : null
  if (error.status === 429) return 'throttled'
  if (error.row === 'captchaRequired') return 'captcha'
  return typed === '' ? 'missing' : 'wrong'
}

function codeProblem(error: ApiError | undefined): FactorView['problem'] {
  if (!error) return null
  if (error.status === 429) return 'throttled'
  const isMissing = error.row === 'secondFactorRequired' || error.row === 'validationFailed'
  return isMissing ? 'missing' : 'wrong'
}

function newPasswordProblem(error: ApiError | undefined): NewPasswordView['problem'] {
  if (!error) return null
  if (error.details?.some(({ path: [field] }) => field === 'new_password_again')) return 'differs'
  return passwordProblemOf(error, 'new_password') ?? { rule: 'missing' }
}
