import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { ClientList } from './schemas.ts'

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
