import { resolve } from 'node:path'
import {
  type CommandCall,
  CommandError,
  exitCodes,
  textOf,
  UsageError,
} from '../../core/cli/command.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { type ClientPermission, clientPermissions } from '../../core/policy/principal.ts'
import type { Client } from './client-entry.ts'

/** A program that asks about tokens, or reads metrics. */
export async function add(call: CommandCall): Promise<void> {
  const { asksAboutTokens, isAudience, isClientId } = await import('./client-entry.ts')
  const id = idOf(call)
  if (!isClientId(id)) {
    throw new UsageError(
      'an id has 1 to 64 letters, digits, ".", "_" and "-", and begins with a letter or a digit',
    )
  }
  const wanted = textsIn(call, 'may')
  const may = clientPermissions.filter((permission) => wanted.includes(permission))
  // A metrics-only client needs no audiences.
  const isAboutTokens = may.length === 0 || asksAboutTokens(may)
  const audiences = isAboutTokens ? textsOf(call, 'audience') : textsIn(call, 'audience')
  if (!audiences.every(isAudience)) {
    throw new UsageError('an audience has 1 to 256 characters, and no control character')
  }
  if (wanted.length === 0) throw new UsageError('--may is missing')
  const unknown = wanted.find((text) => !may.some((permission) => permission === text))
  if (unknown !== undefined) {
    const [last, ...others] = [...clientPermissions].reverse()
    const all = `${others.reverse().join(', ')} or ${last}`
    throw new UsageError(`--may takes ${all}, not ${unknown}`)
  }
  const { secret, hex } = await commandSecret()
  const path = await addToFile(call, { id, secretHashes: [hex], audiences, may })
  const isSet = resolve(call.terminal.env.CLIENTS_FILE || '.') === path
  const hint = isSet ? '' : `\nThe service reads it where CLIENTS_FILE=${path} is set.`
  const range = audiences.length === 0 ? '' : ` for ${audiences.join(', ')}`
  const sentence = `${id} is added to ${path}: it may ${may.map(inWords).join(' and ')}${range}`
  await tell(call, { id, secret, audiences, may, file: path }, `${sentence}.${hint}`)
}

/** Returns the path of the file. @throws CommandError if the id is taken */
export function addToFile(call: CommandCall, { id, ...client }: Client): Promise<string> {
  return change(call, true, (clients) => {
    if (clients.some((one) => one.id === id)) {
      throw new CommandError(`there is a client ${id} already`, exitCodes.refused.code)
    }
    return [...clients, { id, ...client }]
  })
}

/** Whether the command names the file, or the file of the service has the client. */
export async function isInFile(call: CommandCall): Promise<boolean> {
  if (textOf(call, 'file') !== undefined) return true
  const path = call.terminal.env.CLIENTS_FILE ?? ''
  if (path === '') return false
  const { clientsIn } = await import('./change-file.ts')
  const clients = await refusing(async () => clientsIn(resolve(path)))
  return clients.some(({ id }) => id === idOf(call))
}

export async function list(call: CommandCall): Promise<void> {
  const path = pathOf(call)
  const { clientsIn } = await import('./change-file.ts')
  const clients = await refusing(async () => clientsIn(path))
  call.output.rows(
    clients.map(({ id, audiences, may, secretHashes }) => ({
      id,
      audiences,
      may,
      secrets: secretHashes.length,
    })),
  )
}

export async function renew(call: CommandCall): Promise<void> {
  const { maxSecrets } = await import('./client-entry.ts')
  const id = idOf(call)
  const { secret, hex } = await commandSecret()
  const isAlone = call.values.now === true
  const path = await changeOne(call, (client) => {
    const kept = isAlone ? [] : client.secretHashes.slice(0, maxSecrets - 1)
    return { ...client, secretHashes: [hex, ...kept] }
  })
  const before = isAlone
    ? 'no other is valid'
    : `the one before stays valid until \`${gatehouse} client retire\``
  await tell(call, { id, secret, file: path }, `${id} has a new secret; ${before}.`)
}

export async function retire(call: CommandCall): Promise<void> {
  const id = idOf(call)
  const path = await changeOne(call, (client) => {
    const [newest, ...earlier] = client.secretHashes
    if (newest === undefined || earlier.length === 0) {
      throw new CommandError(`${id} has only one secret`, exitCodes.refused.code)
    }
    return { ...client, secretHashes: [newest] }
  })
  call.output.result({ id, file: path }, `The earlier secret of ${id} is valid no more.`)
}

export async function remove(call: CommandCall): Promise<void> {
  const id = idOf(call)
  const path = await changeOne(call, () => null)
  call.output.result({ id, file: path }, `${id} is removed from ${path}.`)
}

/** Of a command, which loads no code before it runs. */
export async function commandSecret() {
  const { systemRandom } = await import('../../core/crypto/random.ts')
  const { newSecret } = await import('./new-secret.ts')
  return newSecret(systemRandom)
}

function inWords(permission: ClientPermission): string {
  return permission === 'metrics' ? 'read the metrics' : permission
}

/** The secret is never shown again. */
function tell(
  call: CommandCall,
  record: Readonly<Record<string, unknown>> & { readonly secret: string },
  text: string,
): Promise<void> {
  return tellSecret(call, record, `${text}\n\n  secret  ${record.secret}   (shown once)\n`)
}

/** @throws CommandError if the output fails */
export async function tellSecret(
  { output }: CommandCall,
  record: Readonly<Record<string, unknown>>,
  text: string,
): Promise<void> {
  output.result(record, text)
  if (await output.flush()) return
  throw new CommandError('done, but the secret could not be shown: `client secret` makes another')
}

/** `changed` returns null to remove the client. Returns the file's path. */
function changeOne(call: CommandCall, changed: (client: Client) => Client | null): Promise<string> {
  const id = idOf(call)
  return change(call, false, (clients) => {
    if (!clients.some((client) => client.id === id)) {
      throw new CommandError(`there is no client ${id}`, exitCodes.notFound.code)
    }
    return clients.flatMap((client) => (client.id === id ? (changed(client) ?? []) : client))
  })
}

async function change(
  call: CommandCall,
  mayMake: boolean,
  work: (clients: readonly Client[]) => readonly Client[],
): Promise<string> {
  const path = pathOf(call)
  const { changeClients } = await import('./change-file.ts')
  const { systemClock } = await import('../../core/lib/clock.ts')
  await refusing(() => changeClients(path, work, { clock: systemClock, mayMake }))
  return path
}

/** @throws CommandError with the exit code of a ClientsFileError */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  const { ClientsFileError } = await import('./change-file.ts')
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ClientsFileError)) throw error
    const exit = {
      missing: 'notFound',
      rights: 'usage',
      content: 'failed',
      busy: 'failed',
    } as const
    throw new CommandError(error.message, exitCodes[exit[error.kind]].code)
  }
}

/** @throws UsageError */
function pathOf(call: CommandCall): string {
  const path = textOf(call, 'file') ?? call.terminal.env.CLIENTS_FILE ?? ''
  if (path === '') throw new UsageError('name the file of clients: --file, or CLIENTS_FILE')
  return resolve(path)
}

function idOf({ operands: [id = ''] }: CommandCall): string {
  return id
}

/** Unique values. @throws UsageError if none */
function textsOf(call: CommandCall, option: string): string[] {
  const given = textsIn(call, option)
  if (given.length === 0) throw new UsageError(`--${option} is missing`)
  return given
}

/** Unique values. */
function textsIn({ values }: CommandCall, option: string): string[] {
  return [...new Set([values[option] ?? []].flat().map(String))]
}
