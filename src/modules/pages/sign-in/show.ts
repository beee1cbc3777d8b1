import type { Config } from '../../../core/config/load.ts'
import type { ApiError } from '../../../core/errors.ts'
import { type ViewPage, viewPage } from '../../../core/http/pages/send-view.ts'
import { isLanguage } from '../../../core/lib/languages.ts'
import { foreignOrigin, home } from '../../flows/return-to.ts'
import { qrOf } from '../../totp/provisioning.ts'
import { passwordProblemOf } from '../password-problem.ts'
import type { ProviderLink } from './providers.ts'
import type { FactorView, NewPasswordView, SignInForm, SignInView } from './views.ts'
import type { RememberedDevices, Shown, SignInAddition, SignInWay } from './ways.ts'

export interface ShowDeps {
  readonly additions: readonly SignInAddition[]
  readonly config: Pick<Config, 'login' | 'password' | 'session'>
  readonly devices: RememberedDevices | null
  readonly providers: readonly ProviderLink[]
  readonly ways: readonly SignInWay[]
}

export function beginningOf(returnTo: string, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ return_to: returnTo, ...more })
  return `/signin?${query}`
}

/** The page of the current step, with the last error. */
export async function showSignIn(deps: ShowDeps, shown: Shown): Promise<ViewPage> {
  const qr = shown.flow.data.enrolment ? await qrOf(shown.flow.data.enrolment.uri) : ''
  return pageOf(deps, shown, qr)
}

/** For a refused request, with an existing QR code. */
export function pageOf(deps: ShowDeps, shown: Shown, qr: string): ViewPage {
  const { asked, flow, error, chosen } = shown
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
      return viewPage('sign-in-second-factor', secondFactor(), options)
    case 'password_change':
      return viewPage('sign-in-new-password', newPassword(), options)
    case 'enrolment': {
      const { secret = '', creation: passkey = null } = data.enrolment ?? {}
      const view = { ...form, secret, qr, passkey, problem: factorProblem(error) }
      return viewPage('sign-in-enrolment', view, options)
    }
    case 'recovery_codes':
      return viewPage(
        'sign-in-recovery-codes',
        { ...form, codes: data.recoveryCodes ?? [] },
        options,
      )
    default: {
      const ofWay = deps.ways.map(({ pages }) => pages?.[step]).find((page) => page !== undefined)
      const page = ofWay ?? chosen?.first
      return page ? page(shown, form, options) : viewPage('sign-in', password(), options)
    }
  }

  function password(): SignInView {
    const { additions, config, providers } = deps
    const { keptDays } = config.session
    const isOpen = data.again === null
    const again = isOpen ? [] : [['again', '1']]
    const query = [...(returnTo === home ? [] : [['return_to', returnTo]]), ...again]
    const asking = query.length === 0 ? '' : `?${new URLSearchParams(query)}`
    const { action } = form
    return {
      ...form,
      username: data.again ?? shown.typed ?? '',
      isAgain: data.again !== null,
      problem: passwordProblem(error, shown),
      keepDays: isOpen && keptDays > 0 ? keptDays : null,
      isKeepChosen: shown.isTicked === true,
      hasCaptcha: error?.row === 'captchaRequired',
      passkey: asked.passkey,
      providers: providers.map(({ login, label }) => ({ href: `${login}${asking}`, label })),
      links: additions.flatMap((one) => one.link?.({ action, returnTo, isOpen }) ?? []),
    }
  }

  function secondFactor(): FactorView {
    const rememberDays = shown.mayRemember ? (deps.devices?.days ?? null) : null
    const isRememberChosen = shown.isTicked === true
    const problem = factorProblem(error)
    return { ...form, ...asked, rememberDays, isRememberChosen, problem }
  }

  function newPassword(): NewPasswordView {
    const { minLength } = deps.config.password
    const problem = isThrottled ? 'throttled' : newPasswordProblem(error)
    return { ...form, username: shown.username, minLength, problem }
  }
}

function passwordProblem(
  error: ApiError | undefined,
  { isEnded = false, typed }: Shown,
): SignInView['problem'] {
  if (!error) return isEnded ? 'ended' : null
  if (error.status === 429) return 'throttled'
  if (error.row === 'captchaRequired') return 'captcha'
  if (isOfPasskey(error)) return 'passkey'
  return typed === '' ? 'missing' : 'wrong'
}

function isOfPasskey({ reason }: ApiError): boolean {
  return reason.code === 'passkey_refused' || reason.code === 'registration_refused'
}

function factorProblem(error: ApiError | undefined): FactorView['problem'] {
  return error && isOfPasskey(error) ? 'passkey' : codeProblem(error)
}

function codeProblem(error: ApiError | undefined): Exclude<FactorView['problem'], 'passkey'> {
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
