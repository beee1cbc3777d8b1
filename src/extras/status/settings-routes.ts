import type { Config } from '../../core/config/load.ts'
import type { App } from '../../core/http/schemas.ts'
import { role } from '../../core/policy/rules.ts'
import { SettingsList } from './schemas.ts'

/** Settings of this node, without secrets. */
export async function routes(
  app: App,
  { config }: { readonly config: Pick<Config, 'inForce'> },
): Promise<void> {
  app.get(
    '/api/admin/settings',
    {
      config: { access: { rule: role('ADMIN') } },
      schema: {
        operationId: 'listSettings',
        summary: 'Every setting as it is in force, and where it comes from; no secret is shown',
        response: { 200: SettingsList },
      },
    },
    async () => ({
      data: config.inForce().map(({ isSecret, isSet, ...setting }) => ({
        ...setting,
        is_secret: isSecret,
        is_set: isSet,
      })),
    }),
  )
}
