import { exactly, Flag, named, Text } from '../../core/http/schemas.ts'
import { clientPermissions } from '../../core/policy/principal.ts'
import { applicationTypes, clientAuthMethods, consents, subjects } from './application.ts'
import { publicEntry } from './client-entry.ts'
import type { ListedClient } from './clients.ts'

const Texts = { type: 'array', items: Text } as const
const enumOf = <const Names extends readonly string[]>(names: Names, description: string) =>
  ({ type: 'string', enum: names, description }) as const

const rights = {
  may: {
    type: 'array',
    items: { type: 'string', enum: clientPermissions },
    description: 'What it may ask for',
  },
  audiences: {
    ...Texts,
    description: 'It learns about tokens that have one of these as `aud`',
  },
} as const

/** As CLIENTS_FILE has them. `application-entry.ts` checks them for both. */
const applicationFields = {
  type: enumOf(applicationTypes, 'What kind of program signs people in'),
  name: { ...Text, description: 'For people; the id by default' },
  operator: { ...Text, description: 'Who runs the application, for people' },
  home_uri: { ...Text, description: 'Where people open the application' },
  redirect_uris: { ...Texts, description: 'Where it gets its codes; compared exactly' },
  post_logout_redirect_uris: Texts,
  scopes: { ...Texts, description: 'What it may ask for' },
  consent: enumOf(consents, 'When a person is asked'),
  allow: { ...Texts, description: 'One of these roles is needed; absent: every account' },
  two_factor: { ...Flag, description: 'Only for logins with two factors' },
  resource: { ...Text, description: 'BASE_URL, if its tokens may be for this API' },
  backchannel_logout_uri: Text,
  origins: { ...Texts, description: 'For CORS; by default the origins of its addresses' },
  claims: {
    type: 'object',
    properties: { id_token: Texts, userinfo: Texts },
    description: 'The claims of each place; by default all that the scopes give',
  },
  client_auth: enumOf(clientAuthMethods, 'How it authenticates'),
  jwks: { type: 'object', additionalProperties: true, description: 'Its public keys' },
  subject: enumOf(subjects, 'pairwise: people have another `sub` than at other hosts'),
  pkce: enumOf(['required', 'optional'], 'optional: for type web alone'),
  disabled: Flag,
} as const

const example = {
  ...{ id: 'grafana', type: 'web', name: 'Grafana' },
  redirect_uris: ['https://grafana.example.org/login/generic_oauth'],
} as const
const exampleShown = {
  ...{ ...example, source: 'database', secrets: 1, audiences: [], may: [] },
  ...{ scopes: ['openid', 'profile', 'email', 'groups'], consent: 'once', client_auth: 'basic' },
} as const
const exampleSecret = '0000000000000000000000000000000000000000000'

const shown = {
  id: Text,
  source: enumOf(['file', 'database'], 'The file is changed by its owner alone'),
  secrets: {
    type: 'integer',
    minimum: 0,
    description: 'How many secrets are valid: two during a rotation',
  },
  ...rights,
} as const

const clientBody = {
  ...exactly(shown),
  properties: { ...shown, ...applicationFields },
} as const

export const ClientBody = named('Client', clientBody, exampleShown)

export const ClientWithSecret = named(
  'ClientWithSecret',
  {
    ...clientBody,
    properties: {
      ...clientBody.properties,
      secret: { ...Text, description: 'Shown once; absent if none was made' },
    },
  } as const,
  { ...exampleShown, secret: exampleSecret },
)

const changed = { ...rights, ...applicationFields } as const

export const CreateClient = named(
  'CreateClient',
  { type: 'object', required: ['id'], properties: { id: Text, ...changed } } as const,
  example,
)

export const ChangeClient = named(
  'ChangeClient',
  { type: 'object', properties: changed } as const,
  { type: example.type, name: example.name, redirect_uris: example.redirect_uris },
)

export const NewClientSecret = named(
  'NewClientSecret',
  {
    type: 'object',
    properties: {
      now: { ...Flag, description: 'End all other secrets at once, for one that leaked' },
    },
  } as const,
  { now: false },
)

export const ClientId = {
  type: 'object',
  properties: { id: { ...Text, examples: [example.id] } },
} as const

export const ClientList = named(
  'ClientList',
  exactly({
    configured: { type: 'boolean', description: 'Whether CLIENTS_FILE is set' },
    data: {
      type: 'array',
      items: ClientBody,
      description: 'Clients of the file in its order, then clients of the database',
    },
    mistakes: {
      ...Texts,
      description: 'Why the present file is not used; until it is correct, the clients before stay',
    },
  }),
  { configured: true, data: [exampleShown], mistakes: [] },
)

/** Never a hash of a secret. */
export function clientView(client: ListedClient) {
  const { source, secretHashes, audiences, may } = client
  const rights = { audiences: [...audiences], may: [...may] }
  return { ...publicEntry(client), ...rights, source, secrets: secretHashes.length }
}
