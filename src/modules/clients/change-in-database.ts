import type { CommandCall } from '../../core/cli/command.ts'
import { withServices } from '../../core/cli/work.ts'
import { tellSecret } from './change-in-file.ts'

/** All clients; the clients of the file come first. */
export async function list(call: CommandCall): Promise<void> {
  await withServices(call, ['clients'], async ({ clients }) => {
    const rows = (await clients.list()).clients
    call.output.rows(
      rows.map(({ id, source, application, audiences, may, secretHashes }) => ({
        ...{ id, source, type: application?.type ?? null, audiences, may },
        ...{ secrets: secretHashes.length, disabled: application?.isDisabled ?? false },
      })),
    )
  })
}

export async function renew(call: CommandCall): Promise<void> {
  const [id, isAlone] = [idOf(call), call.values.now === true]
  await withServices(call, ['clientAdmin'], async ({ clientAdmin }) => {
    const { secret } = await clientAdmin.addSecret(id, isAlone)
    const before = isAlone ? 'no other is valid' : 'the one before stays valid until it is retired'
    const text = `${id} has a new secret; ${before}.\n\n  secret  ${secret}   (shown once)\n`
    await tellSecret(call, { id, secret }, text)
  })
}

export async function retire(call: CommandCall): Promise<void> {
  const id = idOf(call)
  await withServices(call, ['clientAdmin'], async ({ clientAdmin }) => {
    await clientAdmin.retireSecret(id)
    call.output.result({ id }, `The earlier secret of ${id} is valid no more.`)
  })
}

export async function remove(call: CommandCall): Promise<void> {
  const id = idOf(call)
  await withServices(call, ['clientAdmin'], async ({ clientAdmin }) => {
    await clientAdmin.remove(id)
    call.output.result({ id }, `${id} is removed from the database.`)
  })
}

function idOf({ operands: [id = ''] }: CommandCall): string {
  return id
}
