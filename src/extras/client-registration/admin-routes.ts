import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { type App, exactly, Message, named, Text, Time } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { scopesOfPeople } from '../../modules/clients/application.ts'
import { registrationTokenNotFound } from './problems.ts'
import type { RegistrationToken } from './store.ts'

const path = '/api/admin/clients/registration-tokens'
const access = { rule: role('ADMIN') }
const Texts = { type: 'array', items: Text } as const
const defaultDays = 7
const defaultRegistrations = 10

const example = {
  ...{ id: 'q0Tn4kXn8Zc1mVbY', name: 'assistants', scopes: ['openid', 'profile'] },
  ...{ redirect_hosts: ['localhost'], remaining: 10 },
  ...{ created_at: '2026-03-02T09:00:00.000Z', expires_at: '2026-03-09T09:00:00.000Z' },
}
const shown = {
  ...{ id: Text, name: Text, scopes: Texts, redirect_hosts: Texts },
  remaining: { type: 'integer', description: 'How many applications can still register' },
  ...{ created_at: Time, expires_at: Time },
} as const
const TokenBody = named('RegistrationToken', exactly(shown), example)
const NewTokenBody = named(
  'NewRegistrationToken',
  exactly({ ...shown, token: { ...Text, description: 'Shown once' } }),
  { ...example, token: 'gtr_0000000000000000000000000000000000000000000' },
)
const WantedToken = named(
  'WantedRegistrationToken',
  {
    type: 'object',
    required: ['name', 'scopes', 'redirect_hosts'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 100, format: 'text' },
      scopes: {
        type: 'array',
        ...{ minItems: 1, maxItems: 32, uniqueItems: true },
        items: { type: 'string', enum: scopesOfPeople },
        description: 'What the applications may ask for',
      },
      redirect_hosts: {
        type: 'array',
        ...{ minItems: 1, maxItems: 32, uniqueItems: true },
        items: { type: 'string', pattern: '^[a-z0-9.:\\[\\]+-]{1,255}$' },
        description:
          'Hosts with their port, schemes like `com.example.app:`, or `localhost` for any loopback address',
      },
      registrations: {
        type: 'integer',
        ...{ minimum: 1, maximum: 1000, default: defaultRegistrations },
        description: 'How many applications can register',
      },
      expires_in_days: { type: 'integer', minimum: 1, maximum: 365, default: defaultDays },
    },
  } as const,
  { name: example.name, scopes: example.scopes, redirect_hosts: example.redirect_hosts },
)
const TokenId = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', examples: [example.id] } },
} as const

/** The initial access tokens of RFC 7591 section 1.2. */
export async function routes(app: App, { clientRegistration }: Needs): Promise<void> {
  app.get(
    path,
    {
      config: { access },
      schema: {
        operationId: 'listRegistrationTokens',
        summary: 'The tokens by which applications register themselves, the oldest first',
        response: { 200: { type: 'array', items: TokenBody } },
      },
    },
    async () => (await clientRegistration.tokens()).map(show),
  )

  app.post(
    path,
    {
      config: { access, reauthentication: 'always', body: 'json', maxBodyBytes: fewFieldsBytes },
      schema: {
        operationId: 'createRegistrationToken',
        summary: 'Let applications register themselves, with these scopes and redirect addresses',
        body: WantedToken,
        response: { 201: NewTokenBody },
      },
    },
    async (request, reply) => {
      const { name, scopes, redirect_hosts: redirectHosts } = request.body
      const { registrations = defaultRegistrations, expires_in_days } = request.body
      const wanted = { name, scopes, redirectHosts, registrations }
      const { token, text } = await clientRegistration.createToken(
        { ...wanted, expiresInDays: expires_in_days ?? defaultDays },
        reauthorize(request),
      )
      return reply.status(201).send({ ...show(token), token: text })
    },
  )

  app.delete(
    `${path}/:id`,
    {
      config: {
        access,
        errors: [registrationTokenNotFound],
        examples: { answer: { message: 'Registration token revoked' } },
      },
      schema: {
        operationId: 'revokeRegistrationToken',
        summary: 'Revoke a token; the applications that it has registered stay',
        params: TokenId,
        response: { 200: Message },
      },
    },
    async (request) => {
      await clientRegistration.revokeToken(request.params.id, reauthorize(request))
      return { message: 'Registration token revoked' }
    },
  )
}

function show(token: RegistrationToken) {
  return {
    ...{ id: token.id, name: token.name, remaining: token.remaining },
    ...{ scopes: [...token.scopes], redirect_hosts: [...token.redirectHosts] },
    created_at: isoTime(token.createdAt),
    expires_at: isoTime(token.expiresAt),
  }
}
