import type { App } from '../../core/http/schemas.ts'
import { exactly, named, Text } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { clientPermissions } from '../../core/policy/principal.ts'
import { role } from '../../core/policy/rules.ts'

const Texts = { type: 'array', items: Text } as const

const example = { id: 'shop', may: ['introspect', 'revoke'], audiences: ['api'], secrets: 1 }

const ClientBody = named(
  'Client',
  exactly({
    id: Text,
    may: {
      type: 'array',
      items: { type: 'string', enum: clientPermissions },
      description: 'What it may ask for',
    },
    audiences: {
      ...Texts,
      description: 'It learns about tokens that have one of these as `aud`',
    },
    secrets: {
      type: 'integer',
      minimum: 1,
      description: 'How many secrets are valid: two during a rotation',
    },
  }),
  example,
)

export const ClientList = named(
  'ClientList',
  exactly({
    configured: { type: 'boolean', description: 'Whether CLIENTS_FILE is set' },
    data: {
      type: 'array',
      items: ClientBody,
      description: 'Those in use, in the order of the file',
    },
    mistakes: {
      ...Texts,
      description: 'Why the present file is not used; until it is mended, the clients before stay',
    },
  }),
  { configured: true, data: [example], mistakes: [] },
)

/** GET /api/admin/clients: as last read; never a secret's hash. */
export async function routes(app: App, { clients }: Needs): Promise<void> {
  app.get(
    '/api/admin/clients',
    {
      config: { access: { rule: role('ADMIN') } },
      schema: {
        operationId: 'listClients',
        summary:
          'The clients of CLIENTS_FILE, and the mistakes for which a changed file is not used',
        response: { 200: ClientList },
      },
    },
    async () => {
      const { isConfigured, inUse, mistakes } = clients.list()
      return {
        configured: isConfigured,
        data: inUse.map(({ id, audiences, may, secretHashes }) => ({
          id,
          may: [...may],
          audiences: [...audiences],
          secrets: secretHashes.length,
        })),
        mistakes: [...mistakes],
      }
    },
  )
}
