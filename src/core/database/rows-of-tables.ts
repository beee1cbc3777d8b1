/** By table name. */
export type RowsOfTables = ReadonlyMap<string, number>

export function rowsInWords(tables: RowsOfTables): string {
  return [...tables]
    .map(([name, rows]) => `${name} (${rows} row${rows === 1 ? '' : 's'})`)
    .join(', ')
}
