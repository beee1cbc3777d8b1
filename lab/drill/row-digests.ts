export type Query = <T extends object>(text: string) => Promise<T[]>

export type Digests = ReadonlyMap<
  string,
  { readonly digest: string; readonly columns: readonly string[] }
>

/**
 * Tables that callers or jobs of a drill change, and tables that a copy leaves out or seals anew.
 */
const moving = /^(posts|sessions|token_|refresh_|revo|devices|forward_|notices|mails?|used_)/
const ownOfADatabase =
  /^(keys|audit_|schema_version|room_schemas|row_count|list_|throttle_|refusals|backup_runs|master_key_|idempotency_keys|leaving_users|webhook_|erasures|users_search|imports|import_names|flows|confirmations|limits|captcha)/

/**
 * `still`: tables that the load does not change; `copied`: tables that a restore brings back.
 * `columns`: only columns of an older schema.
 */
export async function digestsOf(query: Query, which: 'still' | 'copied'): Promise<Digests> {
  const found = await query<{ table_name: string; column_name: string }>(
    `select c.table_name, c.column_name from information_schema.columns c
       join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
      order by c.table_name, c.column_name`,
  )
  const columns = Map.groupBy(found, ({ table_name }) => table_name)
  const digests = new Map<string, { digest: string; columns: string[] }>()
  for (const [table, rows] of columns) {
    if (ownOfADatabase.test(table) || (which === 'still' && moving.test(table))) continue
    const names = rows.map(({ column_name }) => column_name)
    digests.set(table, { digest: await digestOf(query, table, names), columns: names })
  }
  return digests
}

async function digestOf(query: Query, table: string, columns: readonly string[]): Promise<string> {
  const list = columns.map((name) => `"${name}"`).join(', ')
  const [row] = await query<{ digest: string | null }>(
    `select md5(string_agg(each, '|' order by each)) as digest
       from (select row(${list})::text as each from "${table}") as rows`,
  )
  return row?.digest ?? ''
}

/** The tables of `before` whose rows differ in `after`, where the columns are the same; a lost one too. */
export function differences(before: Digests, after: Digests): string[] {
  return [...before].flatMap(([table, { digest, columns }]) => {
    const found = after.get(table)
    if (!found) return [`${table} is gone`]
    const isSame = found.columns.join() === columns.join()
    return isSame && found.digest !== digest ? [table] : []
  })
}
