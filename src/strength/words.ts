import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Common words of four languages, without accents, made by tools/secret-lists.ts; SOURCE.md. */
export const wordsFile = join(import.meta.dirname, 'words.txt')
export const minWordLength = 3
export const maxWordLength = 20

const prefixLength = 4

interface Words {
  readonly all: ReadonlySet<string>
  readonly prefixes: ReadonlySet<string>
}
let words: Words | undefined

/**
 * The common words that stand at a place of a text, which is to be in lower case without accents.
 * Reads the file at first use.
 */
export function* wordsAt(text: string, start: number): Generator<string> {
  words ??= readWords()
  const isPrefix = words.prefixes.has(text.slice(start, start + prefixLength))
  if (!isPrefix && !words.all.has(text.slice(start, start + minWordLength))) return
  const lastEnd = Math.min(text.length, start + maxWordLength)
  for (let end = start + minWordLength; end <= lastEnd; end += 1) {
    const word = text.slice(start, end)
    if (words.all.has(word)) yield word
  }
}

/** Most texts begin with no word at all, and are asked for once. */
function readWords(): Words {
  const all = readFileSync(wordsFile, 'utf8').split('\n')
  return { all: new Set(all), prefixes: new Set(all.map((text) => text.slice(0, prefixLength))) }
}

/** Words that sentences are made of and lists for passphrases leave out. */
export const functionWords: ReadonlySet<string> = new Set(
  (
    'a i of to in is it be as at so we he by or on do if me my up an go no us am the and for are ' +
    'but not you all any can had her was one our out has him his how its who why this that with ' +
    'have from they will what when your been than then them were which their there would'
  ).split(' '),
)
