import { saveFile } from '../../components/save-file.ts'
import type { ListedAccount } from './read-accounts.ts'

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
  'must_change',
  'second_factor',
  'identities',
  'imported',
  'last_login_at',
  'created_at',
] as const satisfies readonly (keyof ListedAccount)[]

/** Saves accounts as a table. */
export function saveAsCsv(rows: readonly ListedAccount[]): void {
  saveFile('accounts.csv', 'text/csv', csvOf(rows))
}

/** Accounts as a table of RFC 4180. */
export function csvOf(rows: readonly ListedAccount[]): string {
  const lines = rows.map((row) => fields.map((name) => cellOf(row[name])).join(','))
  return `${[fields.join(','), ...lines].join('\r\n')}\r\n`
}

/** Saves accounts as lines of JSON, as the API shows them. */
export function saveAsLines(rows: readonly ListedAccount[]): void {
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`)
  saveFile('accounts.ndjson', 'application/x-ndjson', lines.join(''))
}

// Programs skip blanks before a formula, and some take the wide signs of East Asian texts for it too.
const formula = /^[\s\p{C}]*[=+\-@＝＋－＠]/u

/** A cell in quotes. A name must not begin a formula of the program that opens the table. */
function cellOf(value: ListedAccount[(typeof fields)[number]]): string {
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '')
  const plain = formula.test(text) ? `'${text}` : text
  return `"${plain.replaceAll('"', '""')}"`
}
