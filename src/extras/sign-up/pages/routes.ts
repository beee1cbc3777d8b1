import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { transact } from '../../../core/database/transactions.ts'
import { acceptForms, textIn } from '../../../core/http/bodies/bodies.ts'
import { clientAddress } from '../../../core/http/limits/client-address.ts'
import { languageOf } from '../../../core/http/pages/language.ts'
import type { ErrorPage } from '../../../core/http/pages/page.ts'
import { refusalPage } from '../../../core/http/pages/refusal.ts'
import { sendView, viewPage } from '../../../core/http/pages/send-view.ts'
import type { Needs } from '../../../core/module/services.ts'
import { browserOf, flowOf, flowOfForm, freshAddress } from '../../../modules/flows/requests.ts'
import { parseReturnTo, withoutBrowser } from '../../../modules/flows/return-to.ts'
import { flowForm, flowPage } from '../../../modules/pages/flow-page.ts'
import { beginningOf } from '../../../modules/pages/sign-in/show.ts'
import { mailUnavailable } from '../../mail/problems.ts'
import { signUpOff } from '../problems.ts'
import { ownAccount, signInNewOwner } from './new-session.ts'
import { formErrorsOf, parseProfileForm, problemsOfForm } from './problems.ts'
import { pageOf, type Shown, type SignUpData, type SignUpFlow, type Step } from './show.ts'

const purpose = 'page_sign_up'
const path = '/signup'
const flowSeconds = 3600

/**
 * /signup: the link works in any browser, the code only where it was requested. A GET uses nothing
 * up.
 */
export async function routes(app: FastifyInstance, options: Needs): Promise<void> {
  const { accountFields, clock, config, db, pageFlows, random, redirectOrigins, signUp } = options
  const fields = accountFields()
  const { added, isOfForm } = formErrorsOf(fields)
  // Repeated on the page of an error.
  const shownOf = new WeakMap<FastifyRequest, Shown>()
  acceptForms(app)

  const freshStart = (request: FastifyRequest) =>
    freshAddress(pageFlows, request, purpose, path) ?? `${path}?ended=1`

  const errorPage: ErrorPage = (error, request) => {
    const { message, row, status } = error
    const { mode } = config.signUp
    if (row === signUpOff || row === mailUnavailable) {
      const why = row === mailUnavailable ? 'mail' : mode === 'invitation' ? mode : 'off'
      return viewPage('sign-up-closed', { why }, { status })
    }
    if (row === 'signInFailed') return { location: freshStart(request) }
    if (row === 'emailExists') return viewPage('sign-up-taken', {}, { status })
    const shown = shownOf.get(request)
    const isOfMailbox = row === 'confirmationInvalid' && shown?.flow.step === 'mailbox'
    if (shown && (isOfForm(row) || isOfMailbox || row === 'tooManyRequests')) {
      return pageOf(options, { ...shown, error })
    }
    if (row === 'confirmationInvalid') {
      return viewPage('sign-up-dead-link', { message, requestId: request.id }, { status })
    }
    return refusalPage(error, request, path)
  }

  app.get(
    path,
    {
      exposeHeadRoute: false, // link previews must have no effect
      config: { ...flowPage, errorPage, errors: [signUpOff, 'confirmationInvalid'] },
      schema: { hide: true },
    },
    async (request, reply) => {
      const query = request.query as Readonly<Record<string, unknown>>
      signUp.assertOpen()
      if (typeof query.token === 'string') return byLink(query.token, request, reply)
      const known =
        query.flow === undefined ? null : await flowOf<SignUpData>(pageFlows, request, purpose)
      if (query.flow !== undefined && !known) return reply.redirect(freshStart(request), 303)
      const flow = known ?? begin(request, reply, 'address', {}, query.return_to)
      const isEnded = query.ended !== undefined
      const { name, view, options: how } = pageOf(options, { flow, now: clock.now(), isEnded })
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
          signUpOff,
          'signInFailed',
          'csrfTokenInvalid',
          'confirmationInvalid',
          'usernameExists',
          'emailExists',
          'tooManyRequests',
          ...added,
        ],
      },
      schema: { hide: true },
    },
    async (request, reply) => {
      signUp.assertOpen()
      const flow = await flowOfForm<SignUpData>(pageFlows, request, purpose)
      const taken = taking[flow.step as Step]
      return taken(flow, request, reply)
    },
  )

  type Taking = (
    flow: SignUpFlow,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => Promise<FastifyReply>

  const taking: Record<Step, Taking> = {
    async address(flow, request, reply) {
      const email = textIn(request.body, 'email').trim()
      shownOf.set(request, { flow, now: clock.now(), email })
      return reply.redirect(addressOf(await mailTo(flow, email, request)), 303)
    },

    async mailbox(flow, request, reply) {
      const { begun, email = '' } = flow.data
      shownOf.set(request, { flow, now: clock.now() })
      if (textIn(request.body, 'resend') !== '') {
        return reply.redirect(addressOf(await mailTo(flow, email, request)), 303)
      }
      const proof = { id: begun?.id ?? '', code: textIn(request.body, 'code'), flow: flow.key }
      const confirmation = await signUp.find(proof)
      const step = (await signUp.isTaken(confirmation)) ? 'taken' : 'profile'
      const next = await transact(db, [], (trx) =>
        pageFlows.advance<SignUpData>(trx, flow, { step, data: { confirmation } }),
      )
      return reply.redirect(addressOf(next), 303)
    },

    async profile(flow, request, reply) {
      const { confirmation } = flow.data
      if (!confirmation) throw new Error('a sign-up at its profile has no proof')
      const profile = parseProfileForm(request.body, fields)
      const problems = problemsOfForm(profile)
      const shown = { flow, now: clock.now(), profile }
      if (Object.keys(problems).length > 0) {
        const { name, view, options: how } = pageOf(options, { ...shown, problems })
        return sendView(reply, request, name, view, how)
      }
      shownOf.set(request, shown)
      const account = await signUp.finish(confirmation, {
        profile,
        language: confirmation.language,
        client: clientAddress(request),
        also: (trx) => pageFlows.end(trx, flow),
      })
      const next = await signInNewOwner(options, account, request, reply, flow.returnTo)
      return reply.redirect(next, 303)
    },

    taken: async ({ returnTo }, _request, reply) => reply.redirect(beginningOf(returnTo), 303),
  }

  /** Moves the token from the URL into a flow of this browser. */
  async function byLink(token: string, request: FastifyRequest, reply: FastifyReply) {
    const confirmation = await signUp.find({ token })
    const step = (await signUp.isTaken(confirmation)) ? 'taken' : 'profile'
    const { return_to } = confirmation.facts
    const returnTo = typeof return_to === 'string' ? withoutBrowser(return_to) : undefined
    const flow = begin(request, reply, step, { confirmation }, returnTo)
    return reply.redirect(addressOf(flow), 303)
  }

  function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    step: Step,
    data: SignUpData,
    return_to: unknown,
  ) {
    const language = data.confirmation?.language ?? languageOf(request, config.pages.language)
    const returnTo = parseReturnTo(return_to, {
      origins: redirectOrigins,
      otherwise: ownAccount,
    })
    const start = { purpose, step, data, returnTo, seconds: flowSeconds, language } as const
    return pageFlows.open<SignUpData>(start, browserOf(request, reply, random))
  }

  async function mailTo(
    flow: SignUpFlow,
    email: string,
    request: FastifyRequest,
  ): Promise<SignUpFlow> {
    const client = clientAddress(request)
    const language = languageOf(request, config.pages.language)
    const { id, expiresAt } = await signUp.begin({
      email,
      language,
      client,
      flow: flow.key,
      returnTo: flow.returnTo,
    })
    const begun = { id, linkUntil: expiresAt, askedAt: clock.now() }
    const data = { email, begun, isResent: flow.step === 'mailbox' }
    return pageFlows.advanceUnproven<SignUpData>(db, flow, { step: 'mailbox', data })
  }
}

function addressOf({ id }: SignUpFlow): string {
  return `${path}?flow=${id}`
}
