import { guardFormula } from '../../../../src/core/lib/formula-guard.ts'
import type { components } from '../../api/openapi.d.ts'

type ListedAccount = components['schemas']['ListedAccount']

const fields = [
  'username',
  'user_id',
  'name',
  'email',
  'verified_email',
  'roles',
  'locked',
  'locked_until',
  'active',
  'deletion_at',
  'must_change',
  'second_factor',
  'identities',
  'imported',
  'last_login_at',
  'created_at',
] as const satisfies readonly (keyof ListedAccount)[]

/** Accounts as a table of RFC 4180. */
export function csvOf(rows: readonly ListedAccount[]): string {
  const lines = rows.map((row) => fields.map((name) => cellOf(row[name])).join(','))
  return `${[fields.join(','), ...lines].join('\r\n')}\r\n`
}

/** A cell in quotes. A name must not begin a formula of the program that opens the table. */
function cellOf(value: ListedAccount[(typeof fields)[number]]): string {
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '')
  return `"${guardFormula(text).replaceAll('"', '""')}"`
}
