import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import type { Authenticated } from '../../core/http/changes/reauthorize.ts'
import type { Authenticator } from '../../core/http/routes/declaration.ts'
import { principalOf } from '../../modules/clients/authenticator.ts'
import type { Client } from '../../modules/clients/client-entry.ts'
import { invalidClient } from '../../modules/clients/problems.ts'
import { exchangeOf } from './fake-exchange.ts'
import type { Instance } from './instance.ts'
import type { ApplicationsNeeds } from './needs.ts'
import { protocolPaths } from './paths.ts'
import { beginWork, type ProtocolError, perform, Replayed } from './work.ts'

type Fields = Readonly<Record<string, string>>

/**
 * The client that the fields of a form authenticate, as at the token endpoint: a secret, an
 * assertion, or the id of a public client.
 * @throws ApiError invalidClient, invalidBody, tooManyLoginAttempts
 */
export type ClientOfForm = (
  request: FastifyRequest,
  reply: FastifyReply,
  fields: Fields,
) => Promise<Client>

const names = ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type']
// The library authenticates the client first, then refuses a token of this form without a look-up.
const token = `${Buffer.from('{}').toString('base64url')}..`

export function createClientOfForm(
  { clients, config, db, events }: ApplicationsNeeds,
  instance: () => Promise<Instance>,
): ClientOfForm {
  return async (request, reply, fields) => {
    const { provider, run } = await instance()
    const work = beginWork(request, reply)
    const given = Object.entries(fields).filter(([name]) => names.includes(name))
    const { incoming, response } = exchangeOf(request, config.baseUrl, {
      ...{ url: protocolPaths.revocation, isForProgram: true },
      body: { ...Object.fromEntries(given), token },
    })
    const context = provider.createContext(incoming, response)
    context.respond = false
    try {
      await perform({ db, events }, work, async () => {
        await run(context)
        if (work.thrown !== null) throw work.thrown
      })
    } catch (error) {
      if (!(error instanceof Replayed)) throw error
      throw new ApiError(invalidClient, { reason: { code: 'application_proof_used' } })
    }
    copyCors(response, reply)
    const { error, error_description: why = null } = (context.body ?? {}) as Partial<ProtocolError>
    const client = error === 'unsupported_token_type' ? context.oidc.client : null
    const known = client && (await clients.find(client.clientId))
    if (known) return known
    const facts = { error: error ?? null, why: work.detail ?? why }
    const reason = { code: 'application_request_refused', facts } as const
    throw new ApiError(error === 'invalid_request' ? 'invalidBody' : invalidClient, { reason })
  }
}

/** Accepts clients that authenticate by the form itself, in addition to Basic. */
export function clientsByForm(
  own: Authenticator,
  clientOfForm: ClientOfForm,
  clients: ApplicationsNeeds['clients'],
): Authenticator {
  return {
    ...own,
    async authenticateBody(request, reply): Promise<Authenticated | null> {
      const fields = (request.body ?? {}) as Fields // parsed by the body kind `parameters`
      if (!('client_id' in fields) && !('client_assertion' in fields)) return null
      const client = await clientOfForm(request, reply, fields)
      return {
        principal: principalOf(client),
        lockNames: () => [],
        async revalidate(reader) {
          const present = await clients.find(client.id, reader)
          return present && isSame(present, client, fields) ? principalOf(present) : null
        },
      }
    },
  }

  /** Whether the credential of the request is still valid. */
  function isSame(present: Client, before: Client, { client_secret }: Fields): boolean {
    const { clientAuth, jwks } = present.application ?? {}
    if (clientAuth !== before.application?.clientAuth) return false
    // RFC 6749 section 3.2: what has no value is not there.
    if (client_secret) return clients.hasSecret(present, [client_secret])
    return JSON.stringify(jwks) === JSON.stringify(before.application?.jwks)
  }
}

function copyCors(response: ServerResponse, reply: FastifyReply): void {
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (name === 'vary' || name.startsWith('access-control-')) reply.header(name, value)
  }
}
