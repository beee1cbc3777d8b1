import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Common words of four languages, without accents, made by tools/secret-lists.ts; SOURCE.md. */
export const wordsFile = join(import.meta.dirname, 'words.txt')
export const minWordLength = 3

/** Words are looked up by this many first letters, shorter words by all of their letters. */
const prefixLength = 4

let words: ReadonlyMap<string, readonly string[]> | undefined

/**
 * Yields the common words at a position of a text, which must be in lower case without accents.
 * Reads the file at first use.
 */
export function* wordsAt(text: string, start: number): Generator<string> {
  words ??= readWords()
  const last = Math.min(prefixLength, text.length - start)
  for (let length = minWordLength; length <= last; length += 1) {
    for (const word of words.get(text.slice(start, start + length)) ?? []) {
      if (text.startsWith(word, start)) yield word
    }
  }
}

function readWords(): ReadonlyMap<string, readonly string[]> {
  const all = readFileSync(wordsFile, 'utf8').split('\n')
  return Map.groupBy(all, (word) => word.slice(0, prefixLength))
}

/** Function words of sentences, which lists for passphrases leave out. */
export const functionWords: ReadonlySet<string> = new Set(
  (
    'a i of to in is it be as at so we he by or on do if me my up an go no us am the and for are ' +
    'but not you all any can had her was one our out has him his how its who why this that with ' +
    'have from they will what when your been than then them were which their there would'
  ).split(' '),
)
