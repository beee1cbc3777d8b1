import { readFile } from 'node:fs/promises'
import type { Selectable } from 'kysely'
import { parseEmail } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { caseFold } from '../../core/lib/text.ts'
import { readMail } from './mail-text.ts'

/**
 * The keys of the recipient of a development mail, as users and accounts have them. Null for a
 * foreign or missing file.
 */
export async function recipientOfFile(path: string): Promise<readonly string[] | null> {
  const content = await readFile(path, 'utf8').catch(() => '')
  const [, to] = readMail(content).headers.find(([name]) => name.toLowerCase() === 'to') ?? []
  if (to === undefined) return null
  return addressKeys(/<([^<>]+)>\s*$/.exec(to)?.[1] ?? to)
}

export function addressKeys(address: string): string[] {
  const parsed = parseEmail(address)
  return [caseFold(address), ...(parsed ? [parsed.key] : [])]
}

export function knownRecipients(
  db: DatabaseOrTransaction,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  return recipientStore(db).known(keys)
}

export type RowOfFile = Pick<Selectable<Schema['mails']>, 'id' | 'user_id' | 'message' | 'state'>

const atOnce = 500

export function recipientStore(db: DatabaseOrTransaction) {
  return {
    /** Rows are kept for 30 days. */
    async rowsOf(ids: readonly string[]): Promise<Map<string, RowOfFile>> {
      const rows = new Map<string, RowOfFile>()
      for (let from = 0; from < ids.length; from += atOnce) {
        const found = await db
          .selectFrom('mails')
          .select(['id', 'user_id', 'message', 'state'])
          .where('id', 'in', ids.slice(from, from + atOnce))
          .execute()
        for (const row of found) rows.set(row.id, row)
      }
      return rows
    },

    async addressesOf(userId: number): Promise<string[]> {
      const users = await db
        .selectFrom('users')
        .select('email as address')
        .where('id', '=', userId)
        .execute()
      const accounts = await db
        .selectFrom('accounts')
        .select('verified_email as address')
        .where('user_id', '=', userId)
        .execute()
      return [...users, ...accounts].flatMap(({ address }) => address ?? [])
    },

    async known(keys: readonly string[], except: number | null = null): Promise<Set<string>> {
      const known = new Set<string>()
      for (let from = 0; from < keys.length; from += atOnce) {
        const some = keys.slice(from, from + atOnce)
        const users = await db
          .selectFrom('users')
          .select('email_key as key')
          .where('email_key', 'in', some)
          .where('id', '<>', except ?? 0)
          .execute()
        const accounts = await db
          .selectFrom('accounts')
          .select('verified_email_key as key')
          .where('verified_email_key', 'in', some)
          .where('user_id', '<>', except ?? 0)
          .execute()
        for (const { key } of [...users, ...accounts]) if (key !== null) known.add(key)
      }
      return known
    },
  }
}
