import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseEmail } from '../../addresses/email.ts'
import type { Config } from '../../config/load.ts'
import type { Confirmations } from '../../confirmations/confirmations.ts'
import { type Confirmed, type Emails, emailPurposes } from '../../emails/emails.ts'
import { goneMeanwhile } from '../../http/changes/resource.ts'
import { stillAllowed } from '../../http/changes/still-allowed.ts'
import type { LoginAddress } from '../../http/limits/login-address.ts'
import type { AccountDone, AccountProblem, EmailView } from '../../http/pages/views/account.ts'
import { type ApiError, refuseField } from '../../kernel/errors.ts'
import type { Outbox } from '../../mail/outbox.ts'
import {
  accountForm,
  accountPage,
  common,
  field,
  goOn,
  type Person,
  type PersonDeps,
  personOf,
  show,
  showIfRefused,
} from './own-page.ts'

export interface EmailPageDeps extends PersonDeps {
  readonly config: Pick<Config, 'pages'>
  readonly confirmations: Pick<Confirmations, 'openByCode'>
  readonly emails: Emails
  readonly loginAddress: LoginAddress
  readonly outbox: Pick<Outbox, 'isAvailable'>
}

const path = '/account/email'
const recent = { reauthentication: 'always' } as const
const done: Readonly<Record<Confirmed, AccountDone>> = {
  verified: 'email_verified',
  changed: 'email_changed',
  restored: 'email_changed',
}

/** /account/email: the verified address; verifies one, changes it, or gives up one that waits. */
export async function emailPages(app: FastifyInstance, deps: EmailPageDeps): Promise<void> {
  const { config, confirmations, emails, loginAddress, outbox } = deps

  app.get(path, accountPage(path), async (request, reply) => {
    const person = await personOf(deps, request)
    const view = await viewOf(request, person)
    return show(reply, request, person, 'account-email', view(null))
  })

  app.post(path, accountForm(path, recent), async (request, reply) => {
    const person = await personOf(deps, request)
    const view = await viewOf(request, person, field(request, 'email'))
    showIfRefused(request, person, 'account-email', { problemOf, view })
    const address = parseEmail(field(request, 'email').trim())
    if (!address) return refuseField(['email'], 'must be an e-mail address')
    await emails.begin(person.account, address, {
      guard: stillAllowed(request),
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
    const confirmed = await emails.confirm(confirmation, stillAllowed(request))
    return goOn(reply, person, path, done[confirmed.done])
  })

  app.post(`${path}/cancel`, accountForm(path), async (request, reply) => {
    const person = await personOf(deps, request)
    await emails.cancel(person.account, stillAllowed(request))
    return goOn(reply, person, path, 'email_cancelled')
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

/** The code counts in the session that has asked for it. */
function flowOf({ sessionId }: Person): string {
  return `session ${sessionId}`
}

function problemOf({ row, retryAfterSeconds: seconds = 0 }: ApiError): AccountProblem | null {
  if (row === 'validationFailed') return { code: 'email_invalid', field: 'email' }
  if (row === 'emailExists') return { code: 'email_taken', field: 'email' }
  if (row === 'confirmationInvalid') return { code: 'mailed_code_wrong', field: 'code' }
  return row === 'tooManyRequests' ? { code: 'too_many_mails', field: null, seconds } : null
}
