import { type CommandCall, textOf, UsageError } from '../../core/cli/command.ts'
import { withServices } from '../../core/cli/work.ts'
import { addToFile, commandSecret, tellSecret } from './change-in-file.ts'
import type { WithSecret } from './client-admin.ts'
import { clientEntry, hasSecrets, inWords, parseClient } from './client-entry.ts'
import type { ListedClient } from './clients.ts'
import type { Entry } from './entry-reader.ts'

/** An application of the database, or of the file that is named. */
export async function add(call: CommandCall): Promise<void> {
  const entry = entryOf(call)
  if (call.values.file !== undefined) return addEntry(call, entry)
  await withServices(call, ['clientAdmin'], async ({ clientAdmin }) => {
    await tell(call, await clientAdmin.create(entry), 'the database')
  })
}

async function addEntry(call: CommandCall, entry: Entry): Promise<void> {
  const { issuer } = call.config.token
  const { client, mistakes } = parseClient(entry, { issuer, storedHashes: [] })
  if (!client || mistakes.length > 0) throw new UsageError(mistakes.map(inWords).join('\n'))
  const made = hasSecrets(client) ? await commandSecret() : null
  const whole: ListedClient = {
    ...{ ...client, source: 'file' },
    secretHashes: made ? [made.hex] : [],
  }
  const path = await addToFile(call, whole)
  await tell(call, { client: whole, secret: made?.secret ?? null }, path)
}

/** What the person pastes into the application. */
async function tell(call: CommandCall, made: WithSecret, place: string): Promise<void> {
  const { client, secret } = made
  const { issuer } = call.config.token
  const { redirectUris = [], scopes = [] } = client.application ?? {}
  const lines = [
    ['issuer', issuer],
    ['discovery', `${issuer}/.well-known/openid-configuration`],
    ['client id', client.id],
    ...(secret === null ? [] : [['client secret', `${secret}   (shown once)`]]),
    ...(scopes.length > 0 ? [['scopes', scopes.join(' ')]] : []),
    ...redirectUris.map((uri) => ['redirect', uri]),
  ]
  const table = lines.map(([name = '', value]) => `  ${name.padEnd(15)}${value}\n`).join('')
  const { secret_hash: _, ...entry } = clientEntry(client)
  const record = { ...entry, issuer, ...(secret !== null && { secret }) }
  await tellSecret(call, record, `${client.id} is added to ${place}.\n\n${table}`)
}

/** The fields of the entry, without absent ones. */
function entryOf(call: CommandCall): Entry {
  const { operands, values } = call
  const text = (option: string) => textOf(call, option)
  const texts = (option: string) => values[option] && [values[option]].flat().map(String)
  const entry = {
    id: operands[0],
    type: text('type'),
    name: text('name'),
    operator: text('operator'),
    home_uri: text('home'),
    redirect_uris: texts('redirect'),
    post_logout_redirect_uris: texts('logout-redirect'),
    scopes: texts('scope'),
    consent: text('consent'),
    allow: texts('allow'),
    two_factor: values['two-factor'],
    resource: values.api === true ? call.config.token.issuer : undefined,
    client_auth: text('auth'),
    pkce: text('pkce'),
    subject: text('subject'),
    backchannel_logout_uri: text('logout-call'),
    origins: texts('origin'),
    audiences: texts('audience'),
    may: texts('may'),
  }
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined))
}
