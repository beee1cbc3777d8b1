import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../../../core/errors.ts'
import { acceptForms } from '../../../../core/http/bodies/bodies.ts'
import { clientAddress } from '../../../../core/http/limits/client-address.ts'
import type { ErrorPage } from '../../../../core/http/pages/page.ts'
import { refusalPage } from '../../../../core/http/pages/refusal.ts'
import { sendView, type ViewPage, viewPage } from '../../../../core/http/pages/send-view.ts'
import { isLanguage } from '../../../../core/lib/languages.ts'
import type { Needs } from '../../../../core/module/services.ts'
import { shownInputs } from '../../../../modules/accounts/account-field.ts'
import type { PageFlow } from '../../../../modules/flows/flows.ts'
import { browserOf, flowOf, flowOfForm } from '../../../../modules/flows/requests.ts'
import { flowForm, flowPage } from '../../../../modules/pages/flow-page.ts'
import type { OpenInvitation } from '../../invitations.ts'
import { ownAccount, signInNewOwner } from '../new-session.ts'
import {
  formErrorsOf,
  type ProfileFormInput,
  parseProfileForm,
  problemsOfError,
  problemsOfForm,
} from '../problems.ts'
import type { ProfileProblems } from '../views.ts'

/** The flow keeps the token, which is removed from the URL. */
interface InvitationData {
  readonly token: string
}
type InvitationFlow = PageFlow<InvitationData>

interface Shown extends OpenInvitation {
  readonly flow: InvitationFlow
  readonly profile?: ProfileFormInput
  readonly problems?: ProfileProblems
  readonly status?: number
}

const purpose = 'page_invitation'
const path = '/invitation'
const flowSeconds = 3600

/**
 * /invitation. Address and roles come from the invitation, never from the form. A GET uses nothing
 * up.
 */
export async function routes(app: FastifyInstance, options: Needs): Promise<void> {
  const { accountFields, config, invitations, pageFlows, random } = options
  const fields = accountFields()
  const { added, isOfForm } = formErrorsOf(fields)
  // Repeated on the page of an error.
  const shownOf = new WeakMap<FastifyRequest, Shown>()
  acceptForms(app)

  const errorPage: ErrorPage = (error, request) => {
    const { message, row, status } = error
    const shown = shownOf.get(request)
    if (shown && (isOfForm(row) || row === 'tooManyRequests')) {
      return pageOf({ ...shown, problems: problemsOfError(error, fields), status })
    }
    if (row === 'emailExists') return viewPage('sign-up-taken', {}, { status })
    if (row === 'confirmationInvalid' || row === 'signInFailed') {
      return viewPage('invitation-dead-link', { message, requestId: request.id }, { status })
    }
    return refusalPage(error, request, null)
  }

  app.get(
    path,
    {
      exposeHeadRoute: false, // link previews must have no effect
      config: { ...flowPage, errorPage, errors: ['confirmationInvalid', 'signInFailed'] },
      schema: { hide: true },
    },
    async (request, reply) => {
      const { token } = request.query as { token?: unknown }
      if (typeof token === 'string') return byLink(token, request, reply)
      const flow = await flowOf<InvitationData>(pageFlows, request, purpose)
      if (!flow) {
        throw new ApiError('signInFailed', { reason: { code: 'page_flow_unknown' } })
      }
      return show(reply, request, { flow, ...(await invitations.find(flow.data.token)) })
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
          'usernameExists',
          'emailExists',
          'tooManyRequests',
          ...added,
        ],
      },
      schema: { hide: true },
    },
    async (request, reply) => {
      const flow = await flowOfForm<InvitationData>(pageFlows, request, purpose)
      const open = await invitations.find(flow.data.token)
      const profile = parseProfileForm(request.body, fields)
      const problems = problemsOfForm(profile)
      const shown = { flow, ...open, profile }
      if (Object.keys(problems).length > 0) {
        return show(reply, request, { ...shown, problems, status: 400 })
      }
      shownOf.set(request, shown)
      const account = await invitations.accept(open, {
        profile,
        language: open.invitation.language,
        client: clientAddress(request),
        also: (trx) => pageFlows.end(trx, flow),
      })
      const next = await signInNewOwner(options, account, request, reply, flow.returnTo)
      return reply.redirect(next, 303)
    },
  )

  async function byLink(token: string, request: FastifyRequest, reply: FastifyReply) {
    const { invitation } = await invitations.find(token)
    const start = {
      purpose,
      step: 'profile',
      data: { token },
      returnTo: ownAccount,
      seconds: flowSeconds,
      language: invitation.language,
    } as const
    const { id } = pageFlows.open(start, browserOf(request, reply, random))
    return reply.redirect(`${path}?flow=${id}`, 303)
  }

  function show(reply: FastifyReply, request: FastifyRequest, shown: Shown) {
    const { name, view, options: how } = pageOf(shown)
    return sendView(reply, request, name, view, how)
  }

  function pageOf({ flow, invitation, profile, problems = {}, status = 200 }: Shown): ViewPage {
    const view = {
      action: `${path}?flow=${flow.id}`,
      csrf: flow.csrfToken,
      email: invitation.email.address,
      roles: invitations.rolesOf(invitation),
      username: profile?.username ?? '',
      name: profile?.name ?? invitation.name ?? '',
      inputs: shownInputs(
        fields.flatMap((field) => field.inputs()),
        profile?.texts ?? {},
        problems.inputs,
      ),
      minLength: config.password.minLength,
      problems,
    }
    const { language } = flow
    return viewPage('invitation', view, { status, ...(isLanguage(language) && { hint: language }) })
  }
}
