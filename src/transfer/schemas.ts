import { accountSchemas, annsAccount } from '../accounts/schemas.ts'
import { Count, Integer, named, Text } from '../http/schemas.ts'
import type { Role } from '../kernel/principal.ts'
import { ann } from '../users/schemas.ts'

const Flag = { type: 'boolean' } as const

const Mistakes = {
  type: 'array',
  items: named(
    'ImportMistake',
    {
      type: 'object',
      required: ['line', 'path', 'message'],
      properties: { line: Integer, path: { type: 'array', items: Text }, message: Text },
      additionalProperties: false,
    },
    { line: 3, path: ['email'], message: 'must be an e-mail address' },
  ),
} as const

/** The report of an import or of a dry run. */
export const ImportBody = named(
  'ImportReport',
  {
    type: 'object',
    required: ['dry_run', 'lines', 'imported', 'errors', 'errors_total'],
    properties: {
      dry_run: Flag,
      lines: { ...Count, description: 'Lines that are not blank' },
      imported: { ...Count, description: 'Accounts made, or that would be: all or none' },
      errors: { ...Mistakes, description: 'The first 1000' },
      errors_total: Count,
    },
    additionalProperties: false,
  },
  { dry_run: false, lines: 250, imported: 250, errors: [], errors_total: 0 },
)

/** Creates the schemas of lines for a service with these roles. */
export function transferSchemas(known: readonly Role[]) {
  const { AccountBody, CreateAccount } = accountSchemas(known)
  const { username, roles, password, must_change, user_id, name, email } = CreateAccount.properties

  /** One line of an import. */
  const ImportLine = named(
    'AccountImport',
    {
      type: 'object',
      required: ['username', 'roles'],
      properties: {
        username,
        password_hash: {
          type: 'string',
          description:
            'bcrypt ($2a, $2b, $2y), or a PHC string of Argon2 or PBKDF2; or else password',
        },
        password,
        roles,
        locked: Flag,
        active: Flag,
        must_change,
        created_at: { type: 'string', description: 'ISO 8601 with a time zone; absent: now' },
        user_id: { ...user_id, description: 'A user that exists, where name and email are absent' },
        name,
        email,
      },
    },
    {
      username: 'bea',
      password_hash: '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW',
      roles: ['USER'],
      created_at: '2024-05-06T07:08:09Z',
      name: 'Bea Example',
      email: 'bea@example.org',
    },
  )

  /** One line of an export over HTTP: never a hash. */
  const ExportLine = named(
    'ExportedAccount',
    {
      ...AccountBody,
      required: [...AccountBody.required, 'name', 'email', 'must_change'],
      properties: { ...AccountBody.properties, name: Text, email: Text, must_change: Flag },
    },
    { ...annsAccount, name: ann.name, email: ann.email, must_change: false },
  )

  return { ImportLine, ExportLine } as const
}

export type ImportLine = ReturnType<typeof transferSchemas>['ImportLine']
