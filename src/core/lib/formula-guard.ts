/**
 * What begins a formula in programs that open tables. They skip blanks before it, and some take the wide
 * signs of East Asian texts too. Apostrophes before it belong to the text.
 */
const formula = /^'*[\s\p{C}]*[=+\-@＝＋－＠]/u

/** Puts an apostrophe before a text that would be a formula, or looks as if it had that apostrophe. */
export function guardFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text
}

/** Takes the apostrophe of `guardFormula` off. */
export function unguardFormula(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text
}
