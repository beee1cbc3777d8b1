import { saveFile } from '../../components/save-file.ts'
import { csvOf } from './csv.ts'
import type { ListedAccount } from './read-accounts.ts'

/** Saves accounts as a table. */
export function saveAsCsv(rows: readonly ListedAccount[]): void {
  saveFile('accounts.csv', 'text/csv', csvOf(rows))
}

/** Saves accounts as lines of JSON, as the API shows them. */
export function saveAsLines(rows: readonly ListedAccount[]): void {
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`)
  saveFile('accounts.ndjson', 'application/x-ndjson', lines.join(''))
}
