import { codePointLength } from '../../core/lib/text.ts'

/** Fewer than three characters match only the beginning: they occur in nearly every text. */
export interface Pattern {
  /** Case-folded. */
  readonly text: string
  readonly isBeginning: boolean
}

const minPartLength = 3

/** @param typed whose length counts: folding can lengthen a text */
export function patternOf(text: string, typed = text): Pattern {
  return { text, isBeginning: codePointLength(typed) < minPartLength }
}

/** Per query; rows are compared anyway. */
const maxTrigrams = 8

/** Numbers bind as real, which FTS5 ignores in conditions. */
export function integer(id: number): bigint {
  return BigInt(id)
}

// Precedes each indexed text.
const beginning = '\u0002\u0002'

/** https://sqlite.org/fts5.html#full_text_query_syntax */
export function trigramsOf({ text, isBeginning }: Pattern): string {
  const characters = [...(isBeginning ? beginning + text : text)]
  const all = new Set(
    characters.slice(2).map((last, index) => characters.slice(index, index + 2).join('') + last),
  )
  const trigrams = [...all]
  const every = Math.max(1, (trigrams.length - 1) / (maxTrigrams - 1))
  const asked = new Set<string>()
  for (let index = 0; index <= trigrams.length - 1; index += every) {
    asked.add(trigrams[Math.round(index)] ?? '')
  }
  return [...asked].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
}
