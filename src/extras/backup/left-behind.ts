import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { ModuleTable } from '../../core/module/module.ts'
import type { Batch } from './rows.ts'

const maxIds = 500

export interface LeftBehind {
  /** A batch whose rows are not restored. */
  see(batch: Batch): void
  /** Once the schema is the newest: an older one lacks the tables. */
  note(trx: DatabaseOrTransaction, now: number): Promise<void>
}

/** The persons who must act after a restore, for example make new app passwords. */
export function leftBehindOf(tables: readonly ModuleTable[]): LeftBehind {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const noted = new Map<string, Set<number>>()

  return {
    see({ columns, rows, table }) {
      const { leftBehind, person } = byName.get(table) ?? {}
      if (!leftBehind || !person) return
      const of = columns.indexOf(person.column)
      const [column, value] = leftBehind.only
      const at = columns.indexOf(column)
      const ids = noted.getOrInsertComputed(leftBehind.notedIn, () => new Set())
      for (const row of rows) if (row[at] === value) ids.add(Number(row[of]))
    },

    async note(trx, now) {
      for (const [name, all] of noted) {
        const ids = [...all]
        for (let from = 0; from < ids.length; from += maxIds) {
          const some = sql.join(ids.slice(from, from + maxIds))
          await sql`insert into ${sql.table(name)} (user_id, at)
            select user_id, ${sql.lit(now)} from accounts where user_id in (${some})`.execute(trx)
        }
      }
    },
  }
}
