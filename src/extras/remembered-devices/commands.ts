import { CommandError, type CommandWork, exitCodes } from '../../core/cli/command.ts'
import { withAccount } from '../../modules/accounts/commands.ts'

/** The commands that list and forget remembered devices, as the routes of administration do. */
export const commands: readonly CommandWork[] = [
  {
    name: 'device list',
    example: 'device list ann',
    run: (call) =>
      withAccount(call, ['rememberedDevices'], async ({ userId }, { rememberedDevices }) => {
        const { showDevice } = await import('./schemas.ts')
        call.output.rows((await rememberedDevices.of(userId)).map(showDevice))
      }),
  },
  {
    name: 'device end',
    example: 'device end ann',
    run: (call) =>
      withAccount(call, ['rememberedDevices'], async (account, { rememberedDevices }) => {
        const [, handle] = call.operands
        const { username, userId } = account
        const all = await rememberedDevices.of(userId)
        if (handle !== undefined && !all.some((device) => device.handle === handle)) {
          throw new CommandError(`${username} has no device ${handle}`, exitCodes.notFound.code)
        }
        await rememberedDevices.forget(userId, {
          ...{ reason: 'administrator', guard: undefined },
          ...(handle !== undefined && { handle }),
        })
        const what = handle === undefined ? 'all devices' : `the device ${handle}`
        const text = `${what} of ${username} must prove the second factor again`
        call.output.result({ username, device: handle ?? null }, text)
      }),
  },
]
