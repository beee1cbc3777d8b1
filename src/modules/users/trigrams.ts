/** A case-folded text to find; `isBeginning`: at the beginning of an indexed text alone. */
export interface Trigrams {
  readonly text: string
  readonly isBeginning: boolean
}

/** The most trigrams in one query; every row found is compared with the text anyway. */
const maxTrigrams = 8

/** Converts an id to a bigint: a number is bound as a real, which FTS5 ignores in conditions. */
export function integer(id: number): bigint {
  return BigInt(id)
}

// The indexes have these two characters before each text.
const beginning = '\u0002\u0002'

/** Builds the query of the index. https://sqlite.org/fts5.html#full_text_query_syntax */
export function trigramsOf({ text, isBeginning }: Trigrams): string {
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
