import { application, bye, clientsFile, deviceApplication, entry } from '../../../test/clients.ts'
import type { CommandExamples, CommandWorld, Examples } from '../../../test/example.ts'

export const examples: Examples = { listClients: {} }

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
