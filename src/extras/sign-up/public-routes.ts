import { fewFieldsBytes, textIn } from '../../core/http/bodies/bodies.ts'
import type { FieldChecks } from '../../core/http/bodies/faults.ts'
import { languageOf } from '../../core/http/pages/language.ts'
import type { App } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { parseUsername } from '../../modules/accounts/parse.ts'
import { accountSchemas } from '../../modules/accounts/schemas.ts'
import { shownWith } from '../../modules/accounts/show-account.ts'
import { assertPlausiblePassword } from '../../modules/passwords/rules.ts'
import { mailUnavailable } from '../mail/problems.ts'
import { completing } from '../one-time-tokens/completing.ts'
import { proofOf } from '../one-time-tokens/proof.ts'
import { BegunConfirmation } from '../one-time-tokens/schemas.ts'
import { signUpOff } from './problems.ts'
import { BeginSignUp, finishExamples, newOwnerSchemas } from './schemas.ts'

const access = { rule: anyone }
const guards = {
  access,
  csrf: 'foreignPage',
  body: 'json',
  maxBodyBytes: fewFieldsBytes,
  tag: 'Sign up',
} as const
const ownerErrors = [
  'confirmationInvalid',
  'usernameExists',
  'emailExists',
  'tooManyRequests',
] as const

/**
 * JSON for custom pages: POST /api/public/sign-up, /api/public/sign-up/complete,
 * /api/public/invitation.
 */
export async function routes(
  app: App,
  { accountFields, config, invitations, loginAddress, signUp }: Needs,
): Promise<void> {
  const fields = accountFields()
  const { AcceptInvitation, FinishSignUp } = newOwnerSchemas(fields)
  const errors = [...ownerErrors, ...fields.flatMap((field) => field.errors)]
  const more = (body: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(fields.map(({ name }) => [name, body[name]]))
  const { AccountBody } = accountSchemas(config.roles)
  const show = shownWith(config.roles)
  // For bodies that fail the schema; `createOwner` checks the rest after the proof.
  const checks: FieldChecks = {
    username: (body) => parseUsername(textIn(body, 'username')),
    password: (body) => {
      const owner = { username: textIn(body, 'username'), email: undefined }
      const password = { text: textIn(body, 'password'), field: 'password', ...owner }
      assertPlausiblePassword(password, config)
    },
  }

  app.post(
    '/api/public/sign-up',
    {
      config: { ...guards, errors: [signUpOff, 'tooManyRequests', mailUnavailable] },
      schema: {
        operationId: 'beginSignUp',
        summary: 'Ask for an account: a link and a code by mail. The answer shows no account',
        body: BeginSignUp,
        response: { 202: BegunConfirmation },
      },
    },
    async (request, reply) => {
      const { email, language = languageOf(request, config.pages.language) } = request.body
      const client = loginAddress(request)
      const { id, expiresAt } = await signUp.begin({ email, language, client, flow: null })
      return reply.status(202).send({ id, expires_at: isoTime(expiresAt) })
    },
  )

  for (const { named, ...at } of completing('/api/public/sign-up', 'SignUp')) {
    app.route({
      ...at,
      config: {
        ...guards,
        checks,
        errors: [signUpOff, ...errors, mailUnavailable],
        examples: { bodies: finishExamples },
      },
      schema: {
        ...named,
        summary: 'Make the account, by the link or the code; each code has five tries',
        body: FinishSignUp,
        response: { 201: AccountBody },
      },
      handler: async (request, reply) => {
        const {
          username,
          name,
          password,
          language = languageOf(request, config.pages.language),
        } = request.body
        signUp.assertOpen()
        const confirmation = await signUp.find(proofOf(request.body))
        const profile = { username, name, password, more: more(request.body) }
        const account = await signUp.finish(confirmation, {
          profile,
          language,
          client: loginAddress(request),
        })
        return reply.status(201).send(show(account))
      },
    })
  }

  app.post(
    '/api/public/invitation',
    {
      config: { ...guards, checks, errors },
      schema: {
        operationId: 'acceptInvitation',
        summary: 'Make the account of an invitation, with the roles that it names',
        body: AcceptInvitation,
        response: { 201: AccountBody },
      },
    },
    async (request, reply) => {
      const { token, username, name, password, language } = request.body
      const open = await invitations.find(token)
      const account = await invitations.accept(open, {
        profile: { username, name, password, more: more(request.body) },
        language: language ?? open.invitation.language,
        client: loginAddress(request),
      })
      return reply.status(201).send(show(account))
    },
  )
}
