/**
 * Text for comparison without regard to case. Lower case of upper case, so that characters that
 * share an upper case (final sigma, sharp s) meet; the dotless i alone stays itself, as in
 * Unicode's own case folding.
 */
export function caseFold(text: string): string {
  let folded = ''
  for (const character of text) {
    folded += character === 'ı' ? character : lower(character)
  }
  return folded
}

/** Down, up and down again: the capital sharp s goes down to one that goes up to two letters. */
function lower(character: string): string {
  return character.toLowerCase().toUpperCase().toLowerCase()
}

/** How many Unicode code points a text has; every length of the contract counts these. */
export function codePointLength(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

/** Text that every database can hold: no NUL (PostgreSQL), no lone surrogate (no UTF-8 form). */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Text as the content of an HTML element or of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** One line of a table, without blanks at its end. */
export function alignedLine(cells: readonly string[], widths: readonly number[]): string {
  return `${cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd()}\n`
}

/** A table, each column as wide as its widest cell. */
export function inColumns(table: readonly (readonly string[])[]): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((cells) => cells[column]?.length ?? 0)),
  )
  return table.map((cells) => alignedLine(cells, widths)).join('')
}
