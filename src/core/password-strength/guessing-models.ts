import { areNeighbours } from './breached/keyboard-runs.ts'
import { bitsOfCharacter, log2Choose, type Subject } from './guessing-subject.ts'
import { functionWords, wordsAt } from './words.ts'

/** A part that a model describes in `bits`. */
export interface Part {
  readonly end: number
  readonly bits: number
}

export type Model = (subject: Subject, start: number) => Iterable<Part>

/**
 * How people and guessing programs form the next part, with its bits. Each model is a code: random
 * texts rarely get shorter. A word costs one of 7,776 (five dice).
 */
export const models: Readonly<Record<string, Model>> = {
  character: (subject, start) => [{ end: start + 1, bits: bitsOfCharacter(subject, start) }],
  word,
  functionWord,
  count,
  keys,
  repetition,
  date,
}

const bitsPerWord = Math.log2(7776)
const bitsPerFunctionWord = Math.log2(functionWords.size)
const maxFunctionWordLength = Math.max(...[...functionWords].map(({ length }) => length))
const bitsOfSpelling = 2

/** Up to two following separators are free. */
function* word(subject: Subject, start: number): Generator<Part> {
  for (const spelling of subject.plain) {
    for (const text of wordsAt(spelling, start)) {
      const end = start + text.length
      const isOwn = subject.folded.startsWith(text, start)
      const bits = bitsPerWord + bitsOfCase(subject, start, end) + (isOwn ? 0 : bitsOfSpelling)
      yield { end: afterSeparators(subject, end), bits }
    }
  }
}

/** Such as `the`, outside other words. */
function* functionWord(subject: Subject, start: number): Generator<Part> {
  if (isLetter(subject, start - 1) && !isCapital(subject, start)) return
  for (let length = 1; length <= maxFunctionWordLength; length += 1) {
    const end = start + length
    if (isLetter(subject, end) && !isCapital(subject, end)) continue
    if (!functionWords.has(subject.folded.slice(start, end))) continue
    const bits = bitsPerFunctionWord + bitsOfCase(subject, start, end)
    yield { end: afterSeparators(subject, end), bits }
  }
}

function isLetter({ folded }: Subject, at: number): boolean {
  return /[a-z]/.test(folded.charAt(at))
}

function isCapital({ points }: Subject, at: number): boolean {
  return /\p{Lu}/u.test(points[at] ?? '')
}

function afterSeparators({ folded }: Subject, end: number): number {
  return end + (/^[^a-z0-9]{0,2}/.exec(folded.slice(end, end + 2))?.[0].length ?? 0)
}

/** Initial or full capitals cost one bit. */
function bitsOfCase(subject: Subject, start: number, end: number): number {
  const capitals = subject.points.slice(start, end).filter((point) => /\p{Lu}/u.test(point)).length
  if (capitals === 0) return 0
  const isUsual = capitals === end - start || (capitals === 1 && isCapital(subject, start))
  return isUsual ? 1 : 1 + log2Choose(end - start, capitals)
}

/** Equal steps: aaaa, 1234, cba, 00112233, a1b2c3. */
function* count({ values, bitsPerCharacter }: Subject, start: number): Generator<Part> {
  for (const [width, bitsOfStep] of [
    [1, 7],
    [2, 11],
  ] as const) {
    const value = (at: number) => values[width][at] ?? Number.NaN
    const step = value(start + width) - value(start)
    for (let units = 3; ; units += 1) {
      const end = start + units * width
      if (value(end - width) - value(end - 2 * width) !== step) break
      yield { end, bits: width * bitsPerCharacter + bitsOfStep + Math.log2(units) }
    }
  }
}

const bitsPerStep = Math.log2(6)
/** Cost of choosing a run or repetition model. */
const bitsOfRarity = 4

/** Neighbouring keys: qwertz, 1qaz. */
function* keys({ folded, bitsPerCharacter }: Subject, start: number): Generator<Part> {
  let end = start + 1
  while (end < folded.length && areNeighbours(folded.charAt(end - 1), folded.charAt(end))) {
    end += 1
    if (end - start < 4) continue
    yield { end, bits: bitsPerCharacter + bitsOfRarity + (end - start - 1) * bitsPerStep }
  }
}

function* repetition({ folded }: Subject, start: number): Generator<Part> {
  for (let end = start + 3; end <= folded.length; end += 1) {
    const before = folded.lastIndexOf(folded.slice(start, end), start - 1)
    if (start === 0 || before < 0) return
    yield { end, bits: bitsOfRarity + Math.log2(start) + Math.log2(end - start) }
  }
}

const dates: readonly (readonly [form: RegExp, bits: number])[] = [
  [/(?:19|20)\d\d/y, 10],
  [/(?:19|20)\d\d[-./]?(?:0\d|1[0-2])[-./]?(?:[0-2]\d|3[01])/y, 19],
  [/(?:[0-2]\d|3[01])[-./]?(?:0\d|1[0-2])[-./]?(?:19|20)\d\d/y, 19],
]

function* date({ folded }: Subject, start: number): Generator<Part> {
  if (!/[0-3]/.test(folded.charAt(start))) return
  for (const [form, bits] of dates) {
    form.lastIndex = start
    if (form.test(folded)) yield { end: form.lastIndex, bits }
  }
}
