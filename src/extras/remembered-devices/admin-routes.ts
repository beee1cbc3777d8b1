import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { accountNamed } from '../../modules/accounts/look-up.ts'
import { AccountName } from '../../modules/accounts/schemas.ts'
import { DeviceList, showDevice } from './schemas.ts'

const path = '/api/admin/accounts/:username/devices'
const tag = 'Administration of accounts'
const access = { rule: role('ADMIN') }

export async function routes(app: App, { accounts, rememberedDevices }: Needs): Promise<void> {
  const named = accountNamed(accounts)

  app.get(
    path,
    {
      config: { tag, access, resource: named },
      schema: {
        operationId: 'listDevices',
        summary: 'The remembered devices of an account, the newest first',
        params: AccountName,
        response: { 200: DeviceList },
      },
    },
    async (request) => (await rememberedDevices.of(named.of(request).userId)).map(showDevice),
  )

  app.delete(
    path,
    {
      config: {
        ...{ tag, access, resource: named },
        examples: { answer: { message: 'All devices forgotten' } },
      },
      schema: {
        operationId: 'forgetDevices',
        summary: 'Forget all remembered devices of an account',
        params: AccountName,
        response: { 200: Message },
      },
    },
    async (request) => {
      const { userId } = named.of(request)
      const guard = reauthorize(request)
      await rememberedDevices.forget(userId, { reason: 'administrator', guard })
      return { message: 'All devices forgotten' }
    },
  )
}
