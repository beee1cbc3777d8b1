import type { CommandCall, CommandWork } from '../../core/cli/command.ts'
import { clientPermissions } from '../../core/policy/principal.ts'
import { applicationTypes, clientAuthMethods, consents, subjects } from './application.ts'

const file = {
  file: { type: 'string', value: 'path', doc: 'the file of clients; CLIENTS_FILE by default' },
} as const

const many = { type: 'string', multiple: true } as const

/** Of applications: they make the fields of an entry. */
const application = {
  type: {
    type: 'string',
    value: 'kind',
    doc: `an application that signs people in: ${applicationTypes.join(', ')}; it is stored in the database, or in --file`,
  },
  redirect: { ...many, value: 'address', doc: 'where it gets its codes; again for more' },
  'logout-redirect': { ...many, value: 'address', doc: 'where a sign-out may end; again for more' },
  name: { type: 'string', value: 'text', doc: 'its name, for people; the id by default' },
  operator: { type: 'string', value: 'text', doc: 'who runs it, for people' },
  home: { type: 'string', value: 'address', doc: 'where people open it' },
  scope: { ...many, value: 'scope', doc: 'what it may ask for; again for more' },
  allow: { ...many, value: 'role', doc: 'one of these roles is needed; again for more' },
  consent: { type: 'string', value: 'when', doc: `${consents.join(', ')}; once by default` },
  'two-factor': { type: 'boolean', doc: 'only for logins with two factors' },
  api: { type: 'boolean', doc: 'its tokens may be for this API, by scopes' },
  auth: { type: 'string', value: 'method', doc: clientAuthMethods.join(', ') },
  pkce: { type: 'string', value: 'rule', doc: 'optional for a web application that sends none' },
  subject: {
    type: 'string',
    value: 'kind',
    doc: `${subjects.join(' or ')}: whether other hosts know people by the same \`sub\``,
  },
  'logout-call': { type: 'string', value: 'address', doc: 'its back-channel logout address' },
  origin: { ...many, value: 'origin', doc: 'for CORS; by default the origins of its addresses' },
} as const

type Work = (call: CommandCall) => Promise<void>

/** A running service applies a change of the file within a second, a change of the database at once. */
export const commands: readonly CommandWork[] = [
  {
    name: 'client add',
    options: {
      audience: {
        ...many,
        value: 'name',
        doc: 'the `aud` of the tokens that it may ask about; again for more; none for metrics alone',
      },
      may: { ...many, value: 'right', doc: `${clientPermissions.join(', ')}; again for more` },
      ...application,
      ...file,
    },
    example:
      'client add grafana --type web --redirect https://grafana.example.org/login/generic_oauth',
    run: async (call) => {
      if (call.values.type === undefined) return (await import('./change-in-file.ts')).add(call)
      return (await import('./add-application.ts')).add(call)
    },
  },
  {
    name: 'client list',
    options: file,
    example: 'client list --file clients.json',
    run: async (call) =>
      call.values.file === undefined
        ? (await import('./change-in-database.ts')).list(call)
        : (await import('./change-in-file.ts')).list(call),
  },
  {
    name: 'client secret',
    options: {
      now: { type: 'boolean', doc: 'end all secrets before it at once, for one that leaked' },
      ...file,
    },
    example: 'client secret shop --file clients.json',
    run: byPlace('renew'),
  },
  { name: 'client retire', options: file, example: 'client retire shop', run: byPlace('retire') },
  { name: 'client remove', options: file, example: 'client remove shop', run: byPlace('remove') },
]

/** The file wins. */
function byPlace(what: 'renew' | 'retire' | 'remove'): Work {
  return async (call) => {
    const inFile = await import('./change-in-file.ts')
    if (await inFile.isInFile(call)) return inFile[what](call)
    return (await import('./change-in-database.ts'))[what](call)
  }
}
