import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DatabaseOrTransaction } from '../../../core/database/database.ts'
import { transact } from '../../../core/database/transactions.ts'
import { refuseField } from '../../../core/errors.ts'
import { acceptForms, textIn } from '../../../core/http/bodies/bodies.ts'
import { clientAddress } from '../../../core/http/limits/client-address.ts'
import { languageOf } from '../../../core/http/pages/language.ts'
import type { ErrorPage } from '../../../core/http/pages/page.ts'
import { refusalPage } from '../../../core/http/pages/refusal.ts'
import { sendView, viewPage } from '../../../core/http/pages/send-view.ts'
import type { Needs } from '../../../core/module/services.ts'
import { factorOfForm } from '../../../modules/factors/kinds.ts'
import { browserOf, flowOf, flowOfForm } from '../../../modules/flows/requests.ts'
import { flowForm, flowPage } from '../../../modules/pages/flow-page.ts'
import { askedOf, noFactors } from '../../../modules/pages/sign-in/passkeys.ts'
import { assertMail } from '../../mail/outbox.ts'
import { mailUnavailable } from '../../mail/problems.ts'
import type { Confirmation } from '../../one-time-tokens/confirmations.ts'
import { arriveByToken, cameByInvalidLink, hasToken } from '../../one-time-tokens/token-arrival.ts'
import { parseIdentifier } from '../reset-identifier.ts'
import { resetPurposes } from '../ways.ts'
import { pageOf, type ResetData, type ResetFlow, type ResetStep, type Shown } from './show.ts'
import type { ResetDoneView } from './views.ts'

const path = '/reset'
const purpose = 'page_reset'
// Errors that show the step again.
const correctable: ReadonlySet<unknown> = new Set([
  'validationFailed',
  'secondFactorRequired',
  'invalidCredentials',
  'tooManyLoginAttempts',
  'tooManyRequests',
])

/**
 * The link works in any browser, the code only in the requesting one. GET uses nothing up, and
 * nothing signs in.
 */
export async function routes(app: FastifyInstance, options: Needs): Promise<void> {
  const { accounts, clock, config, confirmations, db, pageFlows, random, recovery } = options
  const shownOf = new WeakMap<FastifyRequest, Shown>()
  acceptForms(app)

  const errorPage: ErrorPage = (error, request) => {
    const { row, status } = error
    if (row === mailUnavailable) return viewPage('reset-unavailable', {}, { status })
    if (row === 'signInFailed') return { location: `${path}?ended=1` }
    const shown = shownOf.get(request)
    const isCode = row === 'confirmationInvalid' && shown?.flow.step === 'mailbox'
    if (shown && (isCode || correctable.has(row))) return pageOf(options, { ...shown, error })
    if (row === 'confirmationInvalid') return { location: `${path}?link=invalid` }
    return refusalPage(error, request, path)
  }

  app.get(
    path,
    {
      exposeHeadRoute: false, // it begins a flow
      config: { ...flowPage, errorPage, errors: [mailUnavailable] },
      schema: { hide: true },
    },
    async (request, reply) => {
      if (hasToken(request)) return byLink(request, reply)
      const { flow: id, ended } = request.query as { flow?: unknown; ended?: unknown }
      const known = id === undefined ? null : await flowOf<ResetData>(pageFlows, request, purpose)
      if (id !== undefined && !known) return reply.redirect(`${path}?ended=1`, 303)
      if (!known) assertMail(options.outbox)
      const { confirmation } = known?.data ?? {}
      if (confirmation && known?.step !== 'done' && !(await confirmations.isOpen(confirmation))) {
        return reply.redirect(`${path}?link=invalid`, 303)
      }
      const flow = known ?? begin(request, reply)
      const notice = cameByInvalidLink(request) ? 'link' : ended === undefined ? null : 'ended'
      const shown = await shownNow(flow, { notice })
      const { name, view, options: how } = pageOf(options, shown)
      return sendView(reply, request, name, view, how)
    },
  )

  app.post(
    path,
    {
      config: {
        ...flowForm,
        errorPage,
        errors: [
          'signInFailed',
          'csrfTokenInvalid',
          'confirmationInvalid',
          'secondFactorRequired',
          'invalidCredentials',
          'tooManyLoginAttempts',
          'tooManyRequests',
          mailUnavailable,
        ],
      },
      schema: { hide: true },
    },
    async (request, reply) => {
      const flow = await flowOfForm<ResetData>(pageFlows, request, purpose)
      const field = (name: string) => textIn(request.body, name)
      shownOf.set(request, await shownNow(flow, { typed: field('username') }))
      const next = await steps[flow.step as ResetStep](flow, field, request)
      return reply.redirect(`${path}?flow=${next.id}`, 303)
    },
  )

  type Field = (name: string) => string

  /** By stored step, never chosen by the form. */
  const steps: Record<
    ResetStep,
    (flow: ResetFlow, field: Field, request: FastifyRequest) => Promise<ResetFlow>
  > = {
    ask: (flow, field, request) => mailTo(flow, field('username'), request),

    async mailbox(flow, field, request) {
      const { begun, typed = '' } = flow.data
      if (field('resend') !== '') return mailTo(flow, typed, request)
      const code = field('code')
      const id = begun?.id ?? ''
      const confirmation = await confirmations.openByCode(id, code, flow.key, resetPurposes)
      return goOn(flow, await stepBehind(confirmation), { confirmation })
    },

    async factor(flow, field, request) {
      const confirmation = proofOf(flow)
      const account = await recovery.accountOf(confirmation)
      const sent = factorOfForm(options.factorKinds(), field)
      const address = options.loginAddress(request)
      await recovery.proveFactor(account, sent, { address, purpose: purposeOf(flow) })
      return goOn(flow, 'password', { confirmation, isFactorProved: true })
    },

    async password(flow, field, request) {
      const confirmation = proofOf(flow)
      const factor = flow.data.isFactorProved === true ? null : {}
      const address = options.loginAddress(request)
      let ended = flow
      const end = (done: ResetDoneView['done']) => async (trx: DatabaseOrTransaction) => {
        const data = { confirmation, done }
        ended = await pageFlows.advance<ResetData>(trx, flow, { step: 'done', data })
      }
      if (field('keep') !== '') {
        await recovery.takeBack(confirmation, { factor, address, also: end('deletion') })
        return ended
      }
      const newPassword = field('new_password')
      if (newPassword === '') refuseField(['new_password'], { en: 'is required', de: 'fehlt' })
      if (newPassword !== field('new_password_again')) {
        refuseField(['new_password_again'], {
          en: 'must be the same twice',
          de: 'muss zweimal gleich sein',
        })
      }
      const isBack = confirmation.purpose === 'deletion_undo'
      const also = end(isBack ? 'password_and_deletion' : 'password')
      await recovery.finish(confirmation, { newPassword, factor, address, also })
      return ended
    },

    done: async (flow) => flow,
  }

  /** Only the new password uses the link up. */
  function byLink(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return arriveByToken<ResetData>(options, request, reply, {
      path,
      purposes: resetPurposes,
      begin: async (confirmation) => ({
        purpose,
        step: await stepBehind(confirmation),
        data: { confirmation },
        returnTo: '/',
        language: confirmation.language,
      }),
    })
  }

  function begin(request: FastifyRequest, reply: FastifyReply): ResetFlow {
    const language = languageOf(request, config.pages.language)
    const seconds = config.confirmations.resetSeconds
    const start = { purpose, step: 'ask', data: {}, returnTo: '/', seconds, language } as const
    return pageFlows.open<ResetData>(start, browserOf(request, reply, random))
  }

  async function mailTo(
    flow: ResetFlow,
    typed: string,
    request: FastifyRequest,
  ): Promise<ResetFlow> {
    const identifier =
      parseIdentifier(typed) ??
      refuseField(['username'], { en: 'can name no account', de: 'kann kein Konto nennen' })
    const { id, expiresAt } = await recovery.begin(identifier, {
      language: languageOf(request, config.pages.language),
      client: clientAddress(request),
      flow: flow.key,
    })
    const begun = { id, linkUntil: expiresAt, askedAt: clock.now() }
    const isResent = flow.step === 'mailbox'
    const data = { typed: typed.trim(), begun, isResent }
    return pageFlows.advanceUnproven<ResetData>(db, flow, { step: 'mailbox', data })
  }

  function goOn(flow: ResetFlow, step: ResetStep, data: ResetData): Promise<ResetFlow> {
    return transact(db, [], (trx) => pageFlows.advance<ResetData>(trx, flow, { step, data }))
  }

  async function stepBehind(confirmation: Confirmation): Promise<ResetStep> {
    const { secondFactor } = await recovery.accountOf(confirmation)
    return secondFactor ? 'factor' : 'password'
  }

  async function shownNow(flow: ResetFlow, more: Partial<Shown>): Promise<Shown> {
    const { confirmation } = flow.data
    const { userId = null } = confirmation ?? {}
    const account = userId === null ? null : await accounts.byUserId(userId)
    const needsNoPassword =
      flow.step === 'password' &&
      confirmation !== undefined &&
      account !== null &&
      (await recovery.needsNoPassword(confirmation, account))
    const username = account?.username ?? ''
    const asked =
      flow.step === 'factor' && account
        ? await askedOf(options, account.userId, purposeOf(flow))
        : noFactors
    return { flow, now: clock.now(), username, needsNoPassword, asked, ...more }
  }
}

function purposeOf({ key }: Pick<ResetFlow, 'key'>): string {
  return `reset ${key}`
}

function proofOf({ data: { confirmation } }: ResetFlow): Confirmation {
  if (!confirmation) throw new Error('a reset behind its mailbox has no proof')
  return confirmation
}
