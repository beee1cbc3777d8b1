import { accountSchemas } from '../accounts/schemas.ts'
import { Integer, Text } from '../http/schemas.ts'
import type { Role } from '../kernel/principal.ts'

const Flag = { type: 'boolean' } as const

const Mistakes = {
  type: 'array',
  items: {
    type: 'object',
    required: ['line', 'path', 'message'],
    properties: { line: Integer, path: { type: 'array', items: Text }, message: Text },
    additionalProperties: false,
  },
} as const

/** The report of an import or of a dry run. */
export const ImportBody = {
  type: 'object',
  required: ['dry_run', 'lines', 'imported', 'errors', 'errors_total'],
  properties: {
    dry_run: Flag,
    lines: { ...Integer, description: 'Lines that are not blank' },
    imported: { ...Integer, description: 'Accounts made, or that would be: all or none' },
    errors: { ...Mistakes, description: 'The first 1000' },
    errors_total: Integer,
  },
  additionalProperties: false,
} as const

/** Creates the schemas of lines for a service with these roles. */
export function transferSchemas(known: readonly Role[]) {
  const { AccountBody, CreateAccount } = accountSchemas(known)
  const { username, roles, password, must_change, user_id, name, email } = CreateAccount.properties

  /** One line of an import. */
  const ImportLine = {
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
  } as const

  /** One line of an export over HTTP: never a hash. */
  const ExportLine = {
    ...AccountBody,
    required: [...AccountBody.required, 'name', 'email', 'must_change'],
    properties: { ...AccountBody.properties, name: Text, email: Text, must_change: Flag },
  } as const

  return { ImportLine, ExportLine } as const
}

export type ImportLine = ReturnType<typeof transferSchemas>['ImportLine']
