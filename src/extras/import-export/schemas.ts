import {
  Count,
  exactly,
  Flag,
  Id,
  Integer,
  named,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from '../../core/http/schemas.ts'
import type { Role } from '../../core/policy/principal.ts'
import type { AccountField } from '../../modules/accounts/account-field.ts'
import { accountSchemas, annsAccount } from '../../modules/accounts/schemas.ts'
import { ann } from '../../modules/users/schemas.ts'

const Mistakes = {
  type: 'array',
  items: named(
    'ImportMistake',
    exactly({ line: Integer, path: { type: 'array', items: Text }, message: Text }),
    { line: 3, path: ['email'], message: 'must be an e-mail address' },
  ),
} as const

const accountFields = {
  username: Text,
  roles: { type: 'array', items: Text },
  locked: Flag,
  active: Flag,
  must_change: Flag,
  created_at: { ...TimeOrNull, description: 'Null: when it is imported' },
  user_id: { type: ['integer', 'null'], minimum: 1, description: 'Null: a new user' },
  name: TextOrNull,
  email: TextOrNull,
} as const

const presentExample = {
  username: 'bea',
  roles: ['USER'],
  locked: false,
  active: true,
  must_change: false,
  created_at: '2024-05-06T07:08:09.000Z',
  user_id: 17,
  name: 'Bea Example',
  email: 'bea@example.org',
}

const ImportLinePreview = named(
  'ImportLinePreview',
  exactly({
    line: {
      ...Integer,
      description: 'Counted from 1, blank lines included; of an array the place of the element',
    },
    outcome: { type: 'string', enum: ['import', 'refuse'] },
    account: {
      description: 'As the line describes it; null if it cannot be read',
      anyOf: [
        exactly({
          ...accountFields,
          password_hash: { ...Flag, description: 'A hash, which is stored as it is' },
          password: {
            ...Flag,
            description: 'A password, which is hashed; with neither the account has none',
          },
        }),
        { type: 'null' },
      ],
    },
    present: {
      description: 'The account that has the name or the user already, as it is now',
      anyOf: [exactly(accountFields), { type: 'null' }],
    },
    errors: {
      type: 'array',
      description: 'The first 20 of the line',
      items: exactly({ path: { type: 'array', items: Text }, message: Text }),
    },
  }),
  {
    line: 3,
    outcome: 'refuse',
    account: {
      ...{ ...presentExample, roles: ['EDITOR'], user_id: null },
      ...{ password_hash: true, password: false },
    },
    present: presentExample,
    errors: [{ path: ['username'], message: 'exists already' }],
  },
)

export const ImportsUnderWay = named(
  'ImportsUnderWay',
  exactly({
    data: {
      type: 'array',
      items: exactly({
        id: Id,
        dry_run: Flag,
        started_at: { ...TimeOrNull, description: 'Null for one of a node of 0.8.0' },
        seen_at: { ...Time, description: 'When its lines were counted' },
        lines: { ...Count, description: 'Read by then; 500 are stored at a time' },
      }),
    },
  }),
  {
    data: [
      {
        id: 4,
        dry_run: false,
        started_at: '2026-03-02T08:00:00.000Z',
        seen_at: '2026-03-02T08:00:07.000Z',
        lines: 20_500,
      },
    ],
  },
)

export const ImportBody = named(
  'ImportReport',
  {
    type: 'object',
    required: ['dry_run', 'lines', 'imported', 'errors', 'errors_total'],
    properties: {
      dry_run: Flag,
      lines: {
        ...Count,
        description: 'Lines that are not blank, rows below the header, or elements of an array',
      },
      imported: { ...Count, description: 'Accounts made, or that would be: all or none' },
      errors: { ...Mistakes, description: 'The first 1000' },
      errors_total: Count,
      ignored_columns: {
        type: 'array',
        items: Text,
        description: 'The columns of CSV that no field has, if there are any',
      },
      preview: {
        type: 'array',
        items: ImportLinePreview,
        description: 'If it was asked for: the first lines of each outcome, in their order',
      },
    },
    additionalProperties: false,
  },
  { dry_run: false, lines: 250, imported: 250, errors: [], errors_total: 0 },
)

/** With the fields of other modules. */
export function transferSchemas(known: readonly Role[], fields: readonly AccountField[] = []) {
  const more = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))
  const { AccountBody, CreateAccount } = accountSchemas(known)
  const { username, roles, password, must_change, user_id, name, email } = CreateAccount.properties

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
            'bcrypt ($2a, $2b, $2y), or a PHC string of Argon2 or PBKDF2; or else password, or neither: the account has no password then',
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
        ...more,
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

  /** Never contains a hash. */
  const ExportLine = named(
    'ExportedAccount',
    {
      ...AccountBody,
      required: [...AccountBody.required, 'name', 'email', 'must_change'],
      properties: {
        ...AccountBody.properties,
        name: Text,
        email: Text,
        must_change: Flag,
        ...more,
      },
    },
    { ...annsAccount, name: ann.name, email: ann.email, must_change: false },
  )

  return { ImportLine, ExportLine } as const
}

export type ImportLine = ReturnType<typeof transferSchemas>['ImportLine']
