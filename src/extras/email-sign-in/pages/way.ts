import type { FastifyRequest } from 'fastify'
import type { Config } from '../../../core/config/load.ts'
import { ApiError } from '../../../core/errors.ts'
import { viewPage } from '../../../core/http/pages/send-view.ts'
import type { SignInFlow } from '../../../modules/pages/sign-in/pipeline.ts'
import type { ReadField, Shown, SignInAddition } from '../../../modules/pages/sign-in/ways.ts'
import { resendSecondsAt } from '../../mail/mailbox-page.ts'
import { cameByInvalidLink } from '../../one-time-tokens/token-arrival.ts'
import { createMailSteps, type MailStepsDeps } from './steps.ts'
import type { MailedView } from './views.ts'

interface ByMailDeps extends MailStepsDeps {
  readonly config: Pick<Config, 'confirmations' | 'pages'>
}

const errors = ['confirmationInvalid'] as const

/** The sign-in by mail on the pages: a link of the first page, and the steps. */
export function emailSignIn(deps: ByMailDeps): SignInAddition {
  const { config, emailLogin } = deps
  return {
    link: ({ action }) =>
      emailLogin.isOffered ? { name: 'byMail', href: `${action}&by=mail` } : null,

    way(pipeline) {
      const steps = createMailSteps(deps, pipeline)
      const begin = (flow: SignInFlow, request: FastifyRequest, field: ReadField) =>
        steps.ask(flow, field('email'), request)
      return {
        errors,
        field: 'email',
        isChosen: ({ by }) => by === 'mail' && emailLogin.isOffered,
        isBegun({ data, step }, field) {
          if (data.again !== null || !emailLogin.isOffered) return false
          if (step === 'password') return field('by') === 'mail'
          return step === 'email_code' && field('resend') === '1'
        },
        begin: (flow, request, _by, field) => begin(flow, request, field),
        steps: {
          email: (flow, request, _by, field) => begin(flow, request, field),
          email_code: (flow, _request, by, field) => steps.code(flow, field('code'), by),
          email_link: (flow, _request, by) => steps.link(flow, by),
        },
        first: (shown, form, options) =>
          viewPage(
            'sign-in-by-mail',
            { ...form, email: shown.typed ?? '', problem: firstProblem(shown) },
            options,
          ),
        pages: {
          email_code: (shown, form, options) =>
            viewPage('sign-in-mailed', { ...form, ...mailed(shown) }, options),
          email_link({ flow }, form, options) {
            const { asked = null, username } = flow.data.link ?? { username: '' }
            return viewPage('sign-in-link', { ...form, username, asked }, options)
          },
        },
        async arrive(request) {
          const { token } = request.query as { token?: unknown } // parsed by Fastify
          if (token === undefined) {
            if (cameByInvalidLink(request)) throw deadLink()
            return null
          }
          // The address that has the token is left at once.
          const found = typeof token === 'string' ? await steps.open(token, request) : null
          if (!found) return { location: '/signin?link=invalid' }
          const { link, returnTo } = found
          return { step: 'email_link', data: { link }, returnTo }
        },
        refused: ({ row }, step) =>
          row === 'confirmationInvalid' && step !== 'email_code'
            ? viewPage('sign-in-dead-link', { begin: '/signin' })
            : null,
      }
    },
  }

  function mailed({ error, flow, now }: Shown) {
    const { address = '', askedAt = 0 } = flow.data.mail ?? {}
    return {
      email: address,
      lifetimeSeconds: config.confirmations.signInSeconds,
      resendSeconds: resendSecondsAt(now, askedAt),
      problem: codeProblem(error),
    }
  }
}

function firstProblem({ error }: Shown) {
  if (!error) return null
  return error.status === 429 ? 'throttled' : 'form'
}

function codeProblem(error: ApiError | undefined): MailedView['problem'] {
  if (!error) return null
  if (error.status === 429) return 'throttled'
  return error.row === 'confirmationInvalid' ? 'wrong' : 'missing'
}

function deadLink(): ApiError {
  return new ApiError('confirmationInvalid', { reason: { code: 'confirmation_unknown' } })
}
