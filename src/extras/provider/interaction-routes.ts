import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptForms, fewFieldsBytes, textIn } from '../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import type { ErrorPage } from '../../core/http/pages/page.ts'
import { refusalPage } from '../../core/http/pages/refusal.ts'
import { sendView } from '../../core/http/pages/send-view.ts'
import { type App, Page } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import type { Application } from '../../modules/clients/application.ts'
import { arrive, isFromElsewhere } from '../../modules/pages/sign-in/arrival.ts'
import { assertToken } from '../../modules/pages/sign-in/sign-out.ts'
import { endSession } from '../../modules/sessions/browser.ts'
import { isAllowed } from './account-claims.ts'
import { uidOf } from './authorize-routes.ts'
import { consentStore } from './consents.ts'
import { accessGiven } from './events.ts'
import {
  hasSignedInSince,
  loginOf,
  mustSignInAnew,
  scopesIn,
  signInPath,
  wishesTwoFactors,
} from './interaction-login.ts'
import { createInteractionSteps, type Person } from './interaction-steps.ts'
import type { Interaction, Result } from './interactions.ts'
import { onlyIfOn } from './only-if-on.ts'
import { interactionPath } from './paths.ts'

const errorPage: ErrorPage = (error, request) => refusalPage(error, request, null)
const Fields = { type: 'object', properties: { csrf_token: {}, decision: {} } } as const

/**
 * GET and POST /oauth/interaction/{uid}: between the request of an application and its answer, the
 * person signs in and lets the application have what it asks for.
 */
export async function routes(app: App, needs: Needs): Promise<void> {
  const { applications, clock, events } = needs
  const steps = createInteractionSteps(needs)
  const { applicationOf, change, finish, interactionOf, personOf } = steps
  acceptForms(app)
  onlyIfOn(app, applications)

  app.get(
    `${interactionPath}/:uid`,
    {
      config: {
        access: { rule: anyone },
        errorPage,
        answers: { 200: { [mediaTypes.html]: Page }, 303: {} },
      },
      schema: { hide: true },
    },
    async (request, reply) => {
      const path = `${interactionPath}/${uidOf(request)}`
      if (isFromElsewhere(request)) return arrive(request, reply, path)
      const interaction = await interactionOf(request)
      const application = await applicationOf(interaction)
      const person = await personOf(request)
      const now = clock.now()
      const { params } = interaction
      if (interaction.prompt === 'select_account') {
        return select(request, reply, { interaction, application, person, path })
      }
      if (mustSignInAnew(interaction, person?.session ?? null, now)) {
        const isFirst = interaction.seen === null
        const seen = { session: person?.session.stored.id ?? '', at: now }
        if (isFirst) await change(interaction, { seen })
        return reply.redirect(signInPath(path, params, { again: person !== null }), 303)
      }
      const { needsTwoFactors } = application
      if (!person) return reply.redirect(signInPath(path, params, { needsTwoFactors }), 303)
      return goOn(request, reply, { interaction, application, person, path })
    },
  )

  app.post(
    `${interactionPath}/:uid`,
    {
      config: {
        access: { rule: anyone },
        errorPage,
        csrf: 'foreignPage',
        body: 'form',
        maxBodyBytes: fewFieldsBytes,
        answers: { 200: { [mediaTypes.html]: Page }, 303: {} },
        responseHeaders: ['set-cookie'],
        errors: ['csrfTokenInvalid', 'signInFailed'],
      },
      schema: { hide: true, body: Fields },
    },
    async (request, reply) => {
      const interaction = await interactionOf(request)
      const application = await applicationOf(interaction)
      const person = await personOf(request)
      const again = `${interactionPath}/${interaction.uid}`
      if (!person) return reply.redirect(again, 303)
      assertToken(textIn(request.body, 'csrf_token'), person.session.stored.csrfToken)
      const decision = textIn(request.body, 'decision')
      if (interaction.prompt === 'select_account' && decision === 'other') {
        await endSession(needs, request, reply)
        return reply.redirect(signInPath(again, interaction.params), 303)
      }
      if (decision !== 'allow') return decline(request, reply, interaction)
      if (interaction.prompt === 'select_account') {
        return finish(request, reply, interaction, selected(interaction, person))
      }
      // Another person has signed in since the application asked.
      if (!isConsentOf(interaction, person)) return reply.redirect(again, 303)
      const { client } = interaction
      const { userId: user_id } = person.account
      const scopes = scopesIn(interaction, application)
      const result = {
        ...interaction.before,
        consent: { scopes },
        session: person.session.stored.id,
      }
      return finish(request, reply, interaction, result, async (trx) => {
        if (application.consent !== 'always')
          await consentStore(trx).give(user_id, client, scopes, clock.now())
        await events.emitInTransaction(trx, accessGiven, { user_id, client, scopes })
      })
    },
  )

  interface Step {
    readonly interaction: Interaction
    readonly application: Application
    readonly person: Person
    readonly path: string
  }

  /** Shows who is signed in, unless that person has just signed in for this request. */
  async function select(
    request: FastifyRequest,
    reply: FastifyReply,
    { interaction, application, person, path }: Omit<Step, 'person'> & { person: Person | null },
  ) {
    const { params, seen } = interaction
    if (person && hasSignedInSince(seen, person.session)) {
      return finish(request, reply, interaction, selected(interaction, person))
    }
    const now = { session: person?.session.stored.id ?? '', at: clock.now() }
    if (seen === null) await change(interaction, { seen: now })
    if (!person) return reply.redirect(signInPath(path, params), 303)
    return sendView(reply, request, 'provider-account', {
      ...{ action: path, csrf: person.session.stored.csrfToken },
      ...{ application: application.name, username: person.account.username },
    })
  }

  /** The step that the library waits for, of a person who is signed in. */
  async function goOn(request: FastifyRequest, reply: FastifyReply, step: Step) {
    const { interaction, application, person, path } = step
    const { account, session } = person
    const { name, operator } = application
    const asked = { action: path, csrf: session.stored.csrfToken, application: name, operator }
    if (!isAllowed(application, account)) {
      const view = { ...asked, username: account.username }
      return sendView(reply, request, 'provider-refused', view, { status: 403 })
    }
    const needsTwoFactors =
      application.needsTwoFactors || wishesTwoFactors(interaction.params, account)
    if (needsTwoFactors && !session.stored.amr.includes('mfa')) {
      return reply.redirect(signInPath(path, interaction.params, { needsTwoFactors }), 303)
    }
    if (!isConsentOf(interaction, person)) return login(request, reply, step)
    const scopes = scopesIn(interaction, application)
    return sendView(reply, request, 'provider-consent', {
      ...{ ...asked, scopes, username: account.username, homeUri: application.homeUri },
      returnsTo: placeOf(interaction.params.redirect_uri),
      lacksEmail: account.email === null && scopes.includes('email'),
    })
  }

  function login(request: FastifyRequest, reply: FastifyReply, { interaction, person }: Step) {
    // The library asks a second time: the application wants another person than has signed in.
    if (interaction.prompt === 'login' && interaction.before.login) {
      return finish(request, reply, interaction, {
        error: 'login_required',
        error_description: 'another person has signed in',
      })
    }
    const session = person.session.stored
    const result = { ...interaction.before, login: loginOf(session), session: session.id }
    return finish(request, reply, interaction, result)
  }

  function decline(request: FastifyRequest, reply: FastifyReply, interaction: Interaction) {
    const error_description = 'the person has declined'
    return finish(request, reply, interaction, { error: 'access_denied', error_description })
  }
}

function selected({ before }: Interaction, { session }: Person): Result {
  return { ...before, select_account: {}, session: session.stored.id }
}

function isConsentOf(
  { before, prompt, userId }: Interaction,
  { account, session }: Person,
): boolean {
  if (prompt !== 'consent') return false
  if (before.session !== undefined) return before.session === session.stored.id
  return userId === account.userId
}

function placeOf(uri: string | undefined): string | null {
  const url = uri === undefined ? null : URL.parse(uri)
  return url && (url.host || url.protocol)
}
