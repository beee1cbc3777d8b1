import type { Words } from './languages.ts'

/**
 * Lower case of the upper case: final sigma and sharp s compare equal. The dotless i stays, as in
 * Unicode case folding.
 */
export function caseFold(text: string): string {
  let folded = ''
  for (const character of text) {
    folded += character === 'ı' ? character : lower(character)
  }
  return folded
}

/** Repeated: the capital sharp s becomes small, then two letters. */
function lower(character: string): string {
  return character.toLowerCase().toUpperCase().toLowerCase()
}

/** Format characters, and others that show nothing; the Braille blank looks like a space. */
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu

export function withoutUnseen(text: string): string {
  return text.replace(unseen, '')
}

/** All lengths of the contract count code points. */
export function codePointLength(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

/** The fault of a text that `isStorableText` refuses. */
export const unstorable: Words = {
  en: 'must not hold NUL characters or lone surrogates',
  de: 'darf keine NUL-Zeichen und keine einzelnen Surrogate enthalten',
}

/** No NUL (PostgreSQL), no lone surrogate (not UTF-8). */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

export function alignedLine(cells: readonly string[], widths: readonly number[]): string {
  return `${cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd()}\n`
}

/** A cell wider than `fixed` shifts only its own line. */
export function inColumns(
  table: readonly (readonly string[])[],
  fixed: Readonly<Record<number, number>> = {},
): string {
  const widths = (table[0] ?? []).map(
    (_, column) => fixed[column] ?? Math.max(...table.map((cells) => cells[column]?.length ?? 0)),
  )
  return table.map((cells) => alignedLine(cells, widths)).join('')
}
