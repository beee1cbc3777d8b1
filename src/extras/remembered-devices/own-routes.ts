import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { authenticated } from '../../core/policy/rules.ts'
import { ownAccount, ownAccountPrefixes, ownOperationId } from '../../modules/accounts/look-up.ts'
import { deviceNotFound } from './problems.ts'
import { DeviceList, showDevice } from './schemas.ts'

export const prefixes = ownAccountPrefixes

const access = { rule: authenticated }

const DeviceName = {
  type: 'object',
  required: ['id'],
  properties: {
    id: {
      type: 'string',
      description: 'The `id` of a listed device',
      examples: ['mZ1c0GQ2n5v8y3b6'],
    },
  },
} as const

/** Below /api/user/account (role USER) and /api/account (any account). */
export async function routes(app: App, { accounts, rememberedDevices }: Needs): Promise<void> {
  const idOf = (id: string) => ownOperationId(id, app.prefix)

  app.get(
    '/devices',
    {
      config: { access, errors: ['accountNotFound'] },
      schema: {
        operationId: idOf('listOwnDevices'),
        summary: "One's own remembered devices, the newest first",
        response: { 200: DeviceList },
      },
    },
    async (request) => {
      const { userId } = await ownAccount(accounts, request)
      return (await rememberedDevices.of(userId)).map(showDevice)
    },
  )

  app.delete(
    '/devices/:id',
    {
      config: {
        access,
        reauthentication: 'always',
        errors: ['accountNotFound', deviceNotFound],
        examples: { answer: { message: 'Device forgotten' } },
      },
      schema: {
        operationId: idOf('forgetOwnDevice'),
        summary: "Forget one of one's own remembered devices",
        params: DeviceName,
        response: { 200: Message },
      },
    },
    async (request) => {
      const { userId } = await ownAccount(accounts, request)
      const { id: handle } = request.params
      await rememberedDevices.forget(userId, {
        reason: 'owner',
        handle,
        guard: reauthorize(request),
      })
      return { message: 'Device forgotten' }
    },
  )

  app.delete(
    '/devices',
    {
      config: {
        access,
        reauthentication: 'always',
        errors: ['accountNotFound'],
        examples: { answer: { message: 'All devices forgotten' } },
      },
      schema: {
        operationId: idOf('forgetOwnDevices'),
        summary: "Forget all of one's own remembered devices",
        response: { 200: Message },
      },
    },
    async (request) => {
      const { userId } = await ownAccount(accounts, request)
      await rememberedDevices.forget(userId, { reason: 'owner', guard: reauthorize(request) })
      return { message: 'All devices forgotten' }
    },
  )
}
