import type { FastifyInstance, FastifyRequest } from 'fastify'
import { acceptForms } from '../../../core/http/bodies/bodies.ts'
import type { ErrorPage } from '../../../core/http/pages/page.ts'
import { refusalPage } from '../../../core/http/pages/refusal.ts'
import { sendView, type ViewPage, viewPage } from '../../../core/http/pages/send-view.ts'
import { isLanguage } from '../../../core/lib/languages.ts'
import type { Needs } from '../../../core/module/services.ts'
import type { PageFlow } from '../../../modules/flows/flows.ts'
import { flowOf, flowOfForm } from '../../../modules/flows/requests.ts'
import { flowForm, flowPage } from '../../../modules/pages/flow-page.ts'
import type { Confirmation } from '../../one-time-tokens/confirmations.ts'
import { arriveByToken, cameByInvalidLink, hasToken } from '../../one-time-tokens/token-arrival.ts'
import { type Confirmed, emailPurposes } from '../emails.ts'
import type { VerifyView } from './views.ts'

interface VerifyData {
  readonly confirmation: Confirmation
  /** At the last step. */
  readonly done?: Confirmed
}

type VerifyFlow = PageFlow<VerifyData>

const path = '/verify'
const purpose = 'page_verify'

/**
 * GET and POST /verify: executes a mailed link after a press of the button. Works in any browser,
 * because mail is often read elsewhere, and never signs in, because the reader of a mailbox may be
 * another person.
 */
export async function routes(app: FastifyInstance, options: Needs): Promise<void> {
  const { accounts, confirmations, emails, pageFlows } = options
  const addressOf = new WeakMap<FastifyRequest, string>()
  acceptForms(app)

  const errorPage: ErrorPage = (error, request) => {
    const { row, status } = error
    if (row === 'confirmationInvalid' || row === 'signInFailed') {
      return viewPage('verify-no-link', { isInvalid: true }, { status })
    }
    const address = addressOf.get(request)
    if (row === 'emailExists' && address !== undefined) {
      return viewPage('verify-taken', { address }, { status })
    }
    return refusalPage(error, request, null)
  }

  app.get(
    path,
    {
      exposeHeadRoute: false, // begins a flow
      config: { ...flowPage, errorPage },
      schema: { hide: true },
    },
    async (request, reply) => {
      if (hasToken(request)) {
        return arriveByToken<VerifyData>(options, request, reply, {
          path,
          purposes: emailPurposes,
          begin: (confirmation) => ({
            purpose,
            step: 'confirm',
            data: { confirmation },
            returnTo: '/',
            language: confirmation.language,
          }),
        })
      }
      const flow = await flowOf<VerifyData>(pageFlows, request, purpose)
      const isAsked = (request.query as { flow?: unknown }).flow !== undefined // parsed by Fastify
      const isLive = flow && (flow.step === 'done' || (await isOpen(flow)))
      const isInvalid = isAsked || cameByInvalidLink(request)
      const page = isLive ? await pageOf(flow) : viewPage('verify-no-link', { isInvalid })
      return sendView(reply, request, page.name, page.view, page.options)
    },
  )

  app.post(
    path,
    {
      config: {
        ...flowForm,
        errorPage,
        errors: ['signInFailed', 'csrfTokenInvalid', 'confirmationInvalid', 'emailExists'],
      },
      schema: { hide: true },
    },
    async (request, reply) => {
      const flow = await flowOfForm<VerifyData>(pageFlows, request, purpose)
      const { confirmation } = flow.data
      addressOf.set(request, confirmation.address.address)
      if (flow.step !== 'done') {
        const { reset } = await emails.confirm(confirmation, undefined, (trx, done) =>
          pageFlows.advance(trx, flow, { step: 'done', data: { confirmation, done } }),
        )
        if (reset) return reply.redirect(`/reset?token=${reset.token}`, 303)
      }
      return reply.redirect(`${path}?flow=${flow.secret}`, 303)
    },
  )

  function isOpen({ data: { confirmation } }: VerifyFlow): Promise<boolean> {
    return confirmations.isOpen(confirmation)
  }

  async function pageOf({ csrfToken, data, id, language }: VerifyFlow): Promise<ViewPage> {
    const { confirmation, done } = data
    const { address } = confirmation.address
    const options = isLanguage(language) ? { hint: language } : {}
    if (done) return viewPage('verify-done', { what: done, address }, options)
    const { purpose: what, userId } = confirmation
    const account = userId === null ? null : await accounts.byUserId(userId)
    const view = {
      action: `${path}?flow=${id}`,
      csrf: csrfToken,
      what: what as VerifyView['what'], // by `emailPurposes`
      address,
      username: account?.username ?? '',
    }
    return viewPage('verify', view, options)
  }
}
