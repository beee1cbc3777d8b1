import { setTimeout as wait } from 'node:timers/promises'

type Query = <T extends object>(text: string) => Promise<T[]>

const tables = ['users', 'posts', 'accounts']
/** Twice the rows of a block after a split: src/core/database/list-counts.ts */
const maxBlockRows = 4096
const pollMs = 100
const maxMs = 120_000

/**
 * Counts the lists anew, in one block each, which the service splits when it runs. Rows that SQL has
 * inserted are recorded as changes, of which its job adds 50 a step: many thousand steps, during which
 * every request shares the processor with them. docs/adr/0048
 */
export async function recountLists(query: Query): Promise<void> {
  await query('delete from list_changes')
  await query("delete from list_blocks where row_id <> 0 or key <> ''")
  for (const table of tables) {
    await query(
      `update list_blocks set total = (select count(*) from ${table}) where list like '${table} %'`,
    )
  }
}

/** Waits until the service that runs on the database has split all blocks. @throws Error if it does not */
export async function untilCounted(query: Query): Promise<void> {
  for (let waitedMs = 0; waitedMs < maxMs; waitedMs += pollMs) {
    const [row] = await query<{ large: number | string; changes: number | string }>(`
      select (select count(*) from list_blocks where total > ${maxBlockRows}) as large,
        (select count(*) from (select 1 from list_changes limit 1000) as waiting) as changes`)
    if (Number(row?.large) === 0 && Number(row?.changes) === 0) return
    await wait(pollMs)
  }
  throw new Error('the service has not counted its lists')
}
