import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseEmail } from '../../../core/addresses/email.ts'
import { type ApiError, refuseField } from '../../../core/errors.ts'
import { acceptForms } from '../../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../../core/http/changes/reauthorize.ts'
import { goneMeanwhile } from '../../../core/http/changes/resource.ts'
import { isLanguage } from '../../../core/lib/languages.ts'
import type { Needs } from '../../../core/module/services.ts'
import {
  accountForm,
  accountPage,
  common,
  field,
  goOn,
  type Person,
  personOf,
  proofsOfForm,
  show,
  showIfRefused,
} from '../../own-account/pages/own-page.ts'
import { protectedForm, recentLogin } from '../../own-account/pages/protected-form.ts'
import type { AccountDone, AccountProblem } from '../../own-account/pages/views.ts'
import { type Confirmed, emailPurposes } from '../emails.ts'
import type { EmailView } from './views.ts'

const path = '/account/email'
const done: Readonly<Record<Confirmed, AccountDone>> = {
  verified: 'email_verified',
  changed: 'email_changed',
  restored: 'email_changed',
}

export async function routes(app: FastifyInstance, deps: Needs): Promise<void> {
  const { config, confirmations, emails, loginAddress, outbox, proofs } = deps
  acceptForms(app)

  app.get(path, accountPage(path), async (request, reply) => {
    const person = await personOf(deps, request)
    const view = await viewOf(request, person)
    return show(reply, request, person, 'account-email', view(null))
  })

  const form = { path, change: 'email', fields: ['email'] } as const
  protectedForm(app, deps, form, async (request, reply, person, fields) => {
    const view = await viewOf(request, person, fields('email'))
    showIfRefused(request, person, 'account-email', { problemOf, view })
    const address = parseEmail(fields('email').trim())
    if (!address)
      return refuseField(['email'], {
        en: 'must be an e-mail address',
        de: 'muss eine E-Mail-Adresse sein',
      })
    emails.assertAvailable()
    const { account } = person
    const sent = proofsOfForm(deps, request)
    const guard = await proofs.prove(request, { account, change: 'email', sent })
    await emails.begin(account, address, {
      guard,
      language: config.pages.language,
      client: loginAddress(request),
      flow: flowOf(person),
    })
    return goOn(reply, person, path, 'email_sent')
  })

  app.post(`${path}/confirm`, accountForm(path), async (request, reply) => {
    const person = await personOf(deps, request)
    const view = await viewOf(request, person)
    showIfRefused(request, person, 'account-email', { problemOf, view })
    const { userId } = person.account
    const pending = (await emails.of(userId))?.pending
    const confirmation = await confirmations.openByCode(
      pending?.id ?? '',
      field(request, 'code'),
      flowOf(person),
      emailPurposes,
    )
    const confirmed = await emails.confirm(confirmation, reauthorize(request))
    return goOn(reply, person, path, done[confirmed.done])
  })

  app.post(`${path}/cancel`, accountForm(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    await emails.cancel(person.account, reauthorize(request))
    return goOn(reply, person, path, 'email_cancelled')
  })

  app.post('/account/language', accountForm('/account'), async (request, reply) => {
    const person = await personOf(deps, request)
    const chosen = field(request, 'language')
    const language = isLanguage(chosen) ? chosen : null
    await emails.setLanguage(person.account, language, reauthorize(request))
    return goOn(reply, person, '/account', 'language')
  })

  async function viewOf(request: FastifyRequest, person: Person, typed = '') {
    const own = await emails.of(person.account.userId)
    if (!own) throw goneMeanwhile('accountNotFound')
    const { address, verifiedAt, undeliverableAt, pending } = own
    return (problem: AccountProblem | null): EmailView => ({
      ...common(request, person, problem),
      email: address?.address ?? null,
      verifiedAt,
      isUndeliverable: undeliverableAt !== null,
      pending: pending && { address: pending.address.address, expiresAt: pending.expiresAt },
      hasMail: outbox.isAvailable,
      typed,
    })
  }
}

/** The code counts only in the session that requested the code. */
function flowOf({ sessionId }: Person): string {
  return `session ${sessionId}`
}

function problemOf({ row, retryAfterSeconds: seconds = 0 }: ApiError): AccountProblem | null {
  if (row === 'validationFailed') return { code: 'email_invalid', field: 'email' }
  if (row === 'emailExists') return { code: 'email_taken', field: 'email' }
  if (row === 'confirmationInvalid') return { code: 'mailed_code_wrong', field: 'code' }
  return row === 'tooManyRequests' ? { code: 'too_many_mails', field: null, seconds } : null
}
