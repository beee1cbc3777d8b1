import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { errorWith } from '../../core/http/declared-error.ts'
import { type App, named, Text } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { createUnknownKeys } from '../../modules/api-keys/unknown-keys.ts'
import type { Metadata } from './metadata.ts'
import { invalidMetadata, invalidRedirectUri, invalidRegistrationToken } from './problems.ts'

const example = {
  client_name: 'A desktop assistant',
  redirect_uris: ['http://127.0.0.1/callback'],
  token_endpoint_auth_method: 'none',
} as const
const Texts = { type: 'array', maxItems: 64, items: Text } as const
const members = {
  client_name: Text,
  client_uri: Text,
  redirect_uris: Texts,
  post_logout_redirect_uris: Texts,
  token_endpoint_auth_method: Text,
  grant_types: Texts,
  response_types: Texts,
  scope: Text,
  subject_type: { ...Text, description: '`public` or `pairwise`' },
  jwks: { type: 'object', additionalProperties: true },
} as const

const SentMetadata = named(
  'ClientMetadata',
  { type: 'object', properties: members } as const,
  example,
)
const Registered = named(
  'RegisteredClient',
  {
    type: 'object',
    required: ['client_id', 'client_id_issued_at', 'redirect_uris', 'token_endpoint_auth_method'],
    properties: {
      client_id: Text,
      client_id_issued_at: { type: 'integer', description: 'Seconds since the epoch' },
      client_secret: { type: 'string', description: 'Shown once' },
      client_secret_expires_at: { type: 'integer', description: '0: never' },
      ...members,
    },
  } as const,
  { client_id: 'reg-q0Tn4kXn8Zc1mVbY', client_id_issued_at: 1_772_443_500, ...example },
)
const description = { error_description: Text }
const described = [invalidMetadata, invalidRedirectUri].map((row) =>
  errorWith(row, description, { error_description: 'the token does not allow the scope email' }),
)

/** POST /oauth/register (RFC 7591): an application adds itself, within what its token allows. */
export async function routes(app: App, needs: Needs): Promise<void> {
  const { clientRegistration, clock, config } = needs
  const unknown = createUnknownKeys(clock, config.login.perAddress)

  app.post(
    '/oauth/register',
    {
      config: {
        access: { rule: anyone },
        csrf: 'exempt', // by its token alone
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        rewords: { invalidBody: invalidMetadata, validationFailed: invalidMetadata },
        errors: [...described, invalidRegistrationToken, 'tooManyLoginAttempts', 'routeNotFound'],
        errorHeaders: { 401: ['www-authenticate'] },
      },
      schema: {
        operationId: 'registerClient',
        summary: 'An application registers itself by an initial access token (RFC 7591)',
        body: SentMetadata,
        response: { 201: Registered },
      },
    },
    async (request, reply) => {
      if (!config.clientRegistration.isOn || !config.provider.isOn) {
        throw new ApiError('routeNotFound', { reason: { code: 'registration_off' } })
      }
      const token = await tokenOf(request)
      const sent: Metadata = request.body
      return reply.status(201).send(await clientRegistration.register(token, sent))
    },
  )

  async function tokenOf(request: FastifyRequest) {
    unknown.assertFew(request)
    const [, text = ''] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    try {
      return await clientRegistration.findToken(text)
    } catch (error) {
      if (error instanceof ApiError) unknown.count(request)
      throw error
    }
  }
}
