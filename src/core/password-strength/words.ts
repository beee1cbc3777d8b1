import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Four languages, without accents; tools/secret-lists.ts, SOURCE.md. */
export const wordsFile = join(import.meta.dirname, 'words.txt')
export const minWordLength = 3

/** Lookup prefix; shorter words are looked up whole. */
const prefixLength = 4

interface Words {
  readonly byPrefix: ReadonlyMap<string, readonly string[]>
  /** Whether any word begins with these three letters; a fast filter. */
  readonly beginnings: Uint8Array
}

let words: Words | undefined

/** Expects lower case without accents. Reads the file at first use. */
export function* wordsAt(text: string, start: number): Generator<string> {
  words ??= readWords()
  if (!words.beginnings[beginningAt(text, start)]) return
  const last = Math.min(prefixLength, text.length - start)
  for (let length = minWordLength; length <= last; length += 1) {
    for (const word of words.byPrefix.get(text.slice(start, start + length)) ?? []) {
      if (text.startsWith(word, start)) yield word
    }
  }
}

/** Not cached. */
export function allWords(): string[] {
  return readFileSync(wordsFile, 'utf8').split('\n')
}

function readWords(): Words {
  const all = allWords()
  const beginnings = new Uint8Array(letters ** minWordLength)
  for (const word of all) beginnings[beginningAt(word, 0)] = 1
  return { byPrefix: Map.groupBy(all, (word) => word.slice(0, prefixLength)), beginnings }
}

/** -1 unless all are a to z. */
function beginningAt(text: string, start: number): number {
  let number = 0
  for (let place = start; place < start + minWordLength; place += 1) {
    const letter = text.charCodeAt(place) - firstLetter
    if (!(letter >= 0 && letter < letters)) return -1 // NaN at the end
    number = number * letters + letter
  }
  return number
}

const firstLetter = 'a'.charCodeAt(0)
const letters = 26

/** Missing from passphrase lists. */
export const functionWords: ReadonlySet<string> = new Set(
  (
    'a i of to in is it be as at so we he by or on do if me my up an go no us am the and for are ' +
    'but not you all any can had her was one our out has him his how its who why this that with ' +
    'have from they will what when your been than then them were which their there would'
  ).split(' '),
)
