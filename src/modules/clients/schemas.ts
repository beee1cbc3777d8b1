import { exactly, named, Text } from '../../core/http/schemas.ts'
import { clientPermissions } from '../../core/policy/principal.ts'

const Texts = { type: 'array', items: Text } as const

const example = { id: 'shop', may: ['introspect', 'revoke'], audiences: ['api'], secrets: 1 }

const ClientBody = named(
  'Client',
  exactly({
    id: Text,
    may: {
      type: 'array',
      items: { type: 'string', enum: clientPermissions },
      description: 'What it may ask for',
    },
    audiences: {
      ...Texts,
      description: 'It learns about tokens that have one of these as `aud`',
    },
    secrets: {
      type: 'integer',
      minimum: 1,
      description: 'How many secrets are valid: two during a rotation',
    },
  }),
  example,
)

export const ClientList = named(
  'ClientList',
  exactly({
    configured: { type: 'boolean', description: 'Whether CLIENTS_FILE is set' },
    data: {
      type: 'array',
      items: ClientBody,
      description: 'Those in use, in the order of the file',
    },
    mistakes: {
      ...Texts,
      description: 'Why the present file is not used; until it is mended, the clients before stay',
    },
  }),
  { configured: true, data: [example], mistakes: [] },
)
