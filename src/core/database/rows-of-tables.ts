/** The number of rows by the name of a table. */
export type RowsOfTables = ReadonlyMap<string, number>

export function rowsInWords(tables: RowsOfTables): string {
  return [...tables]
    .map(([name, rows]) => `${name} (${rows} row${rows === 1 ? '' : 's'})`)
    .join(', ')
}
