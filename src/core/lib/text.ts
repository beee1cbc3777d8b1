/**
 * Folds a text for comparison without regard to case: the lower case of its upper case, so that
 * characters with the same upper case (final sigma, sharp s) become equal. Only the dotless i stays
 * unchanged, as in Unicode's case folding.
 */
export function caseFold(text: string): string {
  let folded = ''
  for (const character of text) {
    folded += character === 'ı' ? character : lower(character)
  }
  return folded
}

/** Lower, upper and lower case: the capital sharp s becomes a small one, then two letters. */
function lower(character: string): string {
  return character.toLowerCase().toUpperCase().toLowerCase()
}

/**
 * The number of Unicode code points of a text; all lengths of the contract are counted in these.
 */
export function codePointLength(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

/** Whether every database can store a text: no NUL (PostgreSQL), no lone surrogate (not UTF-8). */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Formats a line of a table, without blanks at its end. */
export function alignedLine(cells: readonly string[], widths: readonly number[]): string {
  return `${cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd()}\n`
}

/**
 * Formats a table with each column as wide as its widest cell, or as wide as `fixed` says: a wider cell
 * then moves the rest of its own line, and no other line.
 */
export function inColumns(
  table: readonly (readonly string[])[],
  fixed: Readonly<Record<number, number>> = {},
): string {
  const widths = (table[0] ?? []).map(
    (_, column) => fixed[column] ?? Math.max(...table.map((cells) => cells[column]?.length ?? 0)),
  )
  return table.map((cells) => alignedLine(cells, widths)).join('')
}
