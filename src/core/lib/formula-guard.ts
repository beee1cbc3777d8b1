/**
 * Start of a spreadsheet formula (CSV injection). Programs skip leading blanks; some accept
 * fullwidth signs. Leading apostrophes belong to the text.
 */
const formula = /^'*[\s\p{C}]*[=+\-@＝＋－＠]/u

/** Prefixes formulas, and texts that look already guarded, with an apostrophe. */
export function guardFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text
}

/** Reverses `guardFormula`. */
export function unguardFormula(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text
}
