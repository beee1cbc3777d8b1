import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ApiError, refuseField } from '../../../core/errors.ts'
import type { Needs } from '../../../core/module/services.ts'
import { changeOwnPassword } from '../../../modules/accounts/own-password.ts'
import { passwordProblemOf } from '../../../modules/pages/password-problem.ts'
import {
  accountPage,
  common,
  goOn,
  type Person,
  personOf,
  proofsOfForm,
  show,
  showIfRefused,
} from './own-page.ts'
import { protectedForm, recentLogin } from './protected-form.ts'
import type { AccountPasswordView, AccountProblem } from './views.ts'

const path = '/account/password'
const again = 'new_password_again'

export async function passwordPages(app: FastifyInstance, deps: Needs): Promise<void> {
  app.get(path, accountPage(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    return show(reply, request, person, 'account-password', viewOf(request, person, null))
  })

  const form = { path, change: 'password', fields: ['new_password', again] } as const
  protectedForm(app, deps, form, async (request, reply, person, fields) => {
    const view = (problem: AccountProblem) => viewOf(request, person, problem)
    showIfRefused(request, person, 'account-password', { problemOf, view })
    const wanted = fields('new_password')
    if (wanted !== fields(again))
      refuseField([again], { en: 'must be the same password', de: 'muss dasselbe Passwort sein' })
    await changeOwnPassword(deps, request, {
      account: person.account,
      sent: proofsOfForm(deps, request),
      wanted,
    })
    return goOn(reply, person, '/account', 'password')
  })

  function viewOf(
    request: FastifyRequest,
    person: Person,
    problem: AccountProblem | null,
  ): AccountPasswordView {
    return {
      ...common(request, person, problem),
      username: person.account.username,
      minLength: deps.config.password.minLength,
      asksCaptcha: problem?.code === 'captcha',
      asksPassword: asksPassword(person.account),
    }
  }
}

/** Without a password, or with a second factor, the next page confirms. */
function asksPassword({ passwordHash, secondFactor }: Person['account']): boolean {
  return passwordHash !== null && !secondFactor
}

function problemOf(error: ApiError): AccountProblem | null {
  const { row, details, retryAfterSeconds: seconds = 0 } = error
  if (row === 'invalidCredentials') return { code: 'wrong_password', field: 'current_password' }
  if (row === 'tooManyLoginAttempts') return { code: 'too_many', field: null, seconds }
  if (row === 'captchaRequired') return { code: 'captcha', field: null }
  if (details?.some(({ path: [name] }) => name === again)) {
    return { code: 'passwords_differ', field: again }
  }
  const password = passwordProblemOf(error, 'new_password')
  return password && { code: 'new_password', field: 'new_password', password }
}
