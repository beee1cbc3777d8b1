import { application, bye, clientsFile, deviceApplication, entry } from '../../../test/clients.ts'
import type { CommandExamples, CommandWorld, Examples, World } from '../../../test/example.ts'

const redirect_uris = ['https://app.example.org/callback']

async function stored({ app, newName }: World, secrets = 1) {
  const json = { id: newName(), type: 'web', redirect_uris }
  const headers = await app.bearer(app.admin)
  await app.call('POST', '/api/admin/clients', { headers, json })
  if (secrets > 1) await app.call('POST', `/api/admin/clients/${json.id}/secret`, { headers })
  return { id: json.id }
}

export const examples: Examples = {
  listClients: {},
  createClient: {
    events: ['client_created'],
    make: ({ newName }) => ({ json: { id: newName(), type: 'web', redirect_uris } }),
  },
  getClient: { make: async (world) => ({ params: await stored(world) }) },
  changeClient: {
    events: ['client_changed'],
    make: async (world) => ({
      params: await stored(world),
      json: { type: 'web', name: 'Shop', redirect_uris },
    }),
  },
  removeClient: {
    events: ['client_removed'],
    make: async (world) => ({ params: await stored(world) }),
  },
  addClientSecret: {
    events: ['client_secret_added'],
    make: async (world) => ({ params: await stored(world), json: { now: true } }),
  },
  retireClientSecret: {
    events: ['client_secret_removed'],
    make: async (world) => ({ params: await stored(world, 2) }),
  },
}

export const settings = () => ({
  CLIENTS_FILE: clientsFile([
    entry('shop', { may: ['introspect', 'revoke', 'metrics'] }),
    application('notes', { post_logout_redirect_uris: [bye] }),
    deviceApplication('tv'),
  ]),
})

const inFile =
  (words: string) =>
  ({ run }: CommandWorld) =>
    run(`client ${words} --file ${clientsFile([entry('one')])}`)

// No database change: the service logs applied file changes.
export const commands: CommandExamples = {
  'client add': { run: inFile('add another --audience api --may revoke') },
  'client list': { run: inFile('list') },
  'client secret': { run: inFile('secret one') },
  'client retire': {
    run: async ({ run, output }) => {
      const file = clientsFile([entry('one')])
      await output(`client secret one --file ${file}`)
      return run(`client retire one --file ${file}`)
    },
  },
  'client remove': { run: inFile('remove one') },
}
