import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { maskedEmail } from '../../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../../core/database/database.ts'
import { lockName, transact } from '../../../core/database/transactions.ts'
import { ApiError } from '../../../core/errors.ts'
import { reauthorize } from '../../../core/http/changes/reauthorize.ts'
import type { Needs } from '../../../core/module/services.ts'
import {
  type KnownChange,
  type ProofKind,
  type ProtectedChange,
  protectedChanges,
} from '../../../modules/authentication/proof-kinds.ts'
import { proofPurpose } from '../../../modules/authentication/proof-purpose.ts'
import { canBeSent } from '../../../modules/authentication/proofs.ts'
import { beginProof, linkedProviders } from '../../../modules/federation/prove.ts'
import { flowExpired } from '../../../modules/flows/flows.ts'
import { browserOf } from '../../../modules/flows/requests.ts'
import { askedOf, noFactors } from '../../../modules/pages/sign-in/passkeys.ts'
import type { ConfirmFlow } from '../../../modules/proofs/grants.ts'
import type { SentCode } from '../../../modules/proofs/sent-code.ts'
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
} from './own-page.ts'
import { recentLogin } from './protected-form.ts'
import type { AccountProblem, ConfirmView } from './views.ts'

interface Sending {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly person: Person
  readonly flow: ConfirmFlow
}

interface ConfirmInput {
  readonly change: ProtectedChange
  /** Null if an API request led here and nothing is confirmed yet. */
  readonly flow: ConfirmFlow | null
}

const path = '/account/confirm'
const leavePath = `${path}/leave`

/** Of a change that an API request led to; a form has its page. */
const pageOf: Readonly<Record<KnownChange, string>> = {
  password: '/account/password',
  factor: '/account/second-factor',
  factor_removal: '/account/second-factor/remove',
  recovery_codes: '/account/recovery-codes',
  email: '/account/email',
  identity: '/account/providers',
  identity_removal: '/account/providers',
  deletion: '/account/delete',
  app_password: '/account/app-passwords',
}

/**
 * /account/confirm: takes proofs for one change, then continues with its form. Proofs are valid for
 * five minutes: see proofs/grants.ts.
 */
export async function confirmPages(app: FastifyInstance, deps: Needs): Promise<void> {
  const { db, factors, grants, proofs, protectedForms, random, sentCodes } = deps
  const [sentCode] = sentCodes()

  app.get(path, accountPage(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    const asked = await confirmInputOf(request, person)
    if (!asked) return reply.redirect('/account', 303)
    const view = await viewOf(request, person, asked)
    return show(reply, request, person, 'account-confirm', view(null))
  })

  app.post(path, accountForm(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    const asked = await confirmInputOf(request, person)
    if (!asked) throw flowExpired('page_flow_unknown')
    await showAgainIfRefused(request, person, asked)
    const flowOf = ({ change, flow }: ConfirmInput) => flow ?? begin(request, reply, person, change)
    const by = field(request, 'by')
    if (by === 'provider') return leave(request, reply, person, await flowOf(asked))
    if (by === 'mail' && sentCode) {
      return sendCode(sentCode, { request, reply, person, flow: await flowOf(asked) })
    }
    const now = await takeMailedCode(request, person, asked)
    const kinds = await prove(request, person, now)
    return goOnWith(request, reply, person, await add(request, await flowOf(now), kinds))
  })

  app.get(leavePath, accountPage(path, recentLogin), async (request, reply) => {
    const person = await personOf(deps, request)
    const leaving = (await grants.find(request, person.account))?.data.leaving
    if (!leaving) return reply.redirect('/account', 303)
    return show(reply, request, person, 'account-leaving', leaving)
  })

  async function confirmInputOf(
    request: FastifyRequest,
    { account }: Person,
  ): Promise<ConfirmInput | null> {
    const flow = await grants.find(request, account)
    if (flow) return { change: flow.data.change, flow }
    const { for: name } = request.query as { for?: unknown }
    const change = protectedChanges.find((known) => known === name)
    return change ? { change, flow: null } : null
  }

  function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    { account, sessionId }: Person,
    change: ProtectedChange,
  ): Promise<ConfirmFlow> {
    const browser = browserOf(request, reply, random)
    return grants.begin(account, { change, sessionId, form: null }, browser, reauthorize(request))
  }

  /** @throws ApiError as `prove` of `Proofs` */
  async function prove(
    request: FastifyRequest,
    { account }: Person,
    { change, flow }: ConfirmInput,
  ): Promise<ProofKind[]> {
    const sent = proofsOfForm(deps, request)
    // Only of this flow: a valid proof is not asked again.
    const held = flow ? grants.kindsOf(flow) : []
    await proofs.prove(request, { account, change, sent, held }).catch(withoutFields)
    const needed = await proofs.neededOf(account)
    const lacking = needed.filter((kind) => !held.includes(kind))
    // What is held was not proved again.
    const isWhole = account.secondFactor && factors.isBothFactors(sent.factor)
    return isWhole ? lacking : lacking.filter(canBeSent)
  }

  /** Returns the flow that holds the proof. */
  async function takeMailedCode(
    request: FastifyRequest,
    person: Person,
    asked: ConfirmInput,
  ): Promise<ConfirmInput> {
    const { flow } = asked
    const code = field(request, 'code')
    if (!flow || code === '' || !sentCode) return asked
    const typed = { id: flow.data.mail ?? '', code, flow: flowName(flow) }
    const use = await sentCode.open(request, person.account, typed)
    const next = { ...asked, flow: await add(request, flow, ['email'], use) }
    await showAgainIfRefused(request, person, next)
    return next
  }

  function add(
    request: FastifyRequest,
    flow: ConfirmFlow,
    kinds: readonly ProofKind[],
    also?: (trx: DatabaseOrTransaction) => Promise<void>,
  ): Promise<ConfirmFlow> {
    const work = async (trx: DatabaseOrTransaction) => {
      await also?.(trx)
      return grants.add(trx, flow, kinds)
    }
    return transact(db, [lockName.account(flow.userId ?? 0)], work, reauthorize(request))
  }

  async function goOnWith(
    request: FastifyRequest,
    reply: FastifyReply,
    person: Person,
    { data: { change, form: sent } }: ConfirmFlow,
  ): Promise<FastifyReply> {
    const form = sent && protectedForms.get(sent.path)
    if (!form) return goOn(reply, person, pageFor(change, sent), 'confirmed')
    return form.make(request, reply, person, (name) => sent.fields[name] ?? '')
  }

  function pageFor(change: ProtectedChange, sent: ConfirmFlow['data']['form']): string {
    const { page } = (sent && protectedForms.get(sent.path)) ?? {}
    return page ?? pageOf[change as KnownChange] ?? '/account'
  }

  // form-action forbids other origins, so our page redirects.
  async function leave(
    request: FastifyRequest,
    reply: FastifyReply,
    { account }: Person,
    flow: ConfirmFlow,
  ): Promise<FastifyReply> {
    const here = `${path}?flow=${flow.id}`
    const provider = field(request, 'provider')
    const url = await beginProof(deps, request, reply, { account, provider, returnTo: here })
    await transact(
      db,
      [lockName.account(account.userId)],
      (trx) => grants.add(trx, flow, [], { leaving: { provider: url.host, url: url.href } }),
      reauthorize(request),
    )
    return reply.redirect(`${leavePath}?flow=${flow.id}`, 303)
  }

  async function sendCode(
    by: SentCode,
    { request, reply, person, flow }: Sending,
  ): Promise<FastifyReply> {
    const { account } = person
    const work = async (trx: DatabaseOrTransaction) => {
      const mail = await by.begin(trx, request, account, flowName(flow))
      return grants.add(trx, flow, [], { mail })
    }
    await transact(db, [lockName.account(account.userId)], work, reauthorize(request))
    return reply.redirect(`${path}?flow=${flow.id}`, 303)
  }

  async function showAgainIfRefused(
    request: FastifyRequest,
    person: Person,
    asked: ConfirmInput,
  ): Promise<void> {
    const view = await viewOf(request, person, asked)
    showIfRefused(request, person, 'account-confirm', { problemOf, view })
  }

  async function viewOf(request: FastifyRequest, person: Person, { change, flow }: ConfirmInput) {
    const { account } = person
    const needed = await proofs.neededOf(account)
    const given = flow ? grants.kindsOf(flow) : []
    const asks = needed.filter((kind) => !given.includes(kind))
    const linked = asks.includes('provider') ? await linkedProviders(deps, account) : []
    const byMail = asks.includes('email') && sentCode?.canSend(account) === true
    const { passkey, kinds } = account.secondFactor
      ? await askedOf(deps, account.userId, proofPurpose(request, change))
      : noFactors
    const { email = '' } = flow?.data.form?.fields ?? {}
    return (problem: AccountProblem | null): ConfirmView => ({
      ...common(request, person, problem),
      action: flow ? `${path}?flow=${flow.id}` : `${path}?for=${change}`,
      cancel: pageFor(change, flow?.data.form ?? null),
      change,
      newEmail: email === '' ? null : email,
      username: account.username,
      asks,
      isConfirmed: given.length > 0,
      providers: linked.map(({ config: { label, name } }) => ({ name, label })),
      mailbox: byMail && account.email !== null ? maskedEmail(account.email) : null,
      isMailed: flow?.data.mail !== undefined,
      asksCaptcha: problem?.code === 'captcha',
      ...{ passkey, kinds },
    })
  }
}

/** A mailed code is valid only in the flow that requested it. */
function flowName({ key }: ConfirmFlow): string {
  return `confirm ${key}`
}

/** The page shows missing proofs; the error needs no fields. */
function withoutFields(error: unknown): never {
  const isMissing = error instanceof ApiError && error.row === 'confirmationRequired'
  throw isMissing ? new ApiError(error.row, { cause: error, reason: error.reason }) : error
}

function problemOf({
  reason,
  row,
  retryAfterSeconds: seconds = 0,
}: ApiError): AccountProblem | null {
  if (row === 'invalidCredentials') {
    if (reason.code.startsWith('confirmation_')) return { code: 'mailed_code_wrong', field: 'code' }
    if (reason.code === 'wrong_password') {
      return { code: 'wrong_password', field: 'current_password' }
    }
    if (reason.code === 'passkey_refused') return { code: 'passkey_refused', field: null }
    const isCode = reason.code === 'second_factor_wrong' || reason.code === 'recovery_code_wrong'
    return isCode ? { code: 'code_wrong', field: 'totp' } : { code: 'proof_refused', field: null }
  }
  if (row === 'confirmationRequired') return { code: 'proof_missing', field: null }
  if (reason.code === 'last_factor_required') return { code: 'factor_required', field: null }
  if (row === 'captchaRequired') return { code: 'captcha', field: null }
  if (row === 'tooManyRequests') return { code: 'too_many_mails', field: null, seconds }
  return row === 'tooManyLoginAttempts' ? { code: 'too_many', field: null, seconds } : null
}
