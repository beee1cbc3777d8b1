import { unleeted } from '../accounts/breached/bare-forms.ts'
import { areNeighbours } from '../accounts/breached/keyboard-runs.ts'
import { functionWords, wordsAt } from './words.ts'

/** A part of a text, from where it was asked for, that a model describes in a number of bits. */
export interface Part {
  readonly end: number
  readonly bits: number
}

/** A text under examination; `folded` and `plain` have one UTF-16 unit per code point of it. */
export interface Subject {
  readonly points: readonly string[]
  /** Lower case, no accents. */
  readonly folded: string
  /** `folded`, and with letters for the digits and signs that stand for them. */
  readonly plain: readonly string[]
  /** Digits and letters as numbers, by one and by two of them; NaN for anything else. */
  readonly values: { readonly 1: readonly number[]; readonly 2: readonly number[] }
  readonly bitsPerCharacter: number
  /** The sign that groups the others, as in `12-34-56`. */
  readonly separator: string | undefined
}

export type Model = (subject: Subject, start: number) => Iterable<Part>

/**
 * How a person, or a program of whoever guesses, comes to the next part of a text, and how many
 * bits tell which one it was. Each is a code: what is random cannot be described in fewer bits than
 * it has, but by luck. The bits of a word are those of a list of 7,776 (five dice).
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

/** The bits of one character where no model knows better. */
export function bitsOfCharacter({ points, separator, bitsPerCharacter }: Subject, at: number) {
  return points[at] === separator ? 1 : bitsPerCharacter
}

const bitsPerWord = Math.log2(7776)
const bitsPerFunctionWord = Math.log2(functionWords.size)
const maxFunctionWordLength = Math.max(...[...functionWords].map(({ length }) => length))
const bitsOfSpelling = 2

/** A common word; a sign or two behind it that separate words cost nothing. */
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

/** A word like `the`, where it is a word: not within another. */
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

/** All in lower case is free, a capital first or capitals throughout cost a bit. */
function bitsOfCase(subject: Subject, start: number, end: number): number {
  const capitals = subject.points.slice(start, end).filter((point) => /\p{Lu}/u.test(point)).length
  if (capitals === 0) return 0
  const isUsual = capitals === end - start || (capitals === 1 && isCapital(subject, start))
  return isUsual ? 1 : 1 + log2Choose(end - start, capitals)
}

/** aaaa, 1234, cba, 00112233, a1b2c3: units of one or two digits or letters, a step apart. */
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
/** That a run or a repetition begins here, and no other part. */
const bitsOfRarity = 4

/** Keys that lie beside each other: qwertz, asdfg, 1qaz. */
function* keys({ folded, bitsPerCharacter }: Subject, start: number): Generator<Part> {
  let end = start + 1
  while (end < folded.length && areNeighbours(folded.charAt(end - 1), folded.charAt(end))) {
    end += 1
    if (end - start < 4) continue
    yield { end, bits: bitsPerCharacter + bitsOfRarity + (end - start - 1) * bitsPerStep }
  }
}

/** What stands further ahead in the text already. */
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

/** The bits of a choice of `chosen` out of `all`. */
export function log2Choose(all: number, chosen: number): number {
  let bits = 0
  for (let index = 1; index <= chosen; index += 1) bits += Math.log2((all - chosen + index) / index)
  return bits
}

/** What the models look at. */
export function subjectOf(text: string): Subject {
  const points = [...text.normalize('NFC')]
  const folded = points.map(foldedPoint).join('')
  const plain = [...new Set([folded, ...unleeted(folded)])]
  const values = { 1: valuesOf(folded, 1), 2: valuesOf(folded, 2) }
  const separator = separatorOf(points)
  const others = points.filter((point) => point !== separator)
  return { points, folded, plain, values, separator, bitsPerCharacter: bitsPerCharacter(others) }
}

/** The commonest sign, where there is more than one of it and not of it alone. */
function separatorOf(points: readonly string[]): string | undefined {
  const signs = points.filter((point) => /[^\p{L}\p{N}]/u.test(point))
  const counts = [...Map.groupBy(signs, (sign) => sign)].map(
    ([sign, all]) => [sign, all.length] as const,
  )
  const [commonest, count] = counts.toSorted(([, one], [, other]) => other - one)[0] ?? ['', 0]
  return count > 1 && count <= points.length / 2 ? commonest : undefined
}

/** One UTF-16 unit; for a code point of two one of the private use area, often the same. */
function foldedPoint(point: string): string {
  const lower = point.toLowerCase()
  if (/^[\0-\x7f]$/.test(lower)) return lower
  const [base = '', ...marks] = lower.normalize('NFKD')
  const unit = marks.every((mark) => /\p{M}/u.test(mark)) ? base : lower
  return unit.length === 1
    ? unit
    : String.fromCharCode(0xe000 + ((unit.codePointAt(0) ?? 0) % 0x1900))
}

function valuesOf(folded: string, width: 1 | 2): number[] {
  return Array.from(folded, (_, at) => {
    const unit = folded.slice(at, at + width)
    if (unit.length < width || !/^[0-9a-z]+$/.test(unit)) return Number.NaN
    const isHex = width === 2 && /^[0-9a-f]+$/.test(unit)
    return Number.parseInt(unit, isHex ? 16 : 36)
  })
}

const alphabets: readonly (readonly [form: RegExp, size: number])[] = [
  [/^\d*$/, 10],
  [/^(?:[\da-f]*|[\dA-F]*)$/, 16],
  [/^(?:[a-z]*|[A-Z]*)$/, 26],
  [/^[A-Z2-7]*=*$/, 32],
  [/^(?:[\da-z]*|[\dA-Z]*)$/, 36],
  [/^(?:[A-Za-z])*$/, 52],
  [/^[\dA-Za-z]*$/, 62],
  [/^[\w+/-]*=*$/, 64],
  [/^[ -~]*$/, 95],
]
/** Of other scripts: people use few of their characters. */
const foreignSize = 128

/** The bits of one of its characters, from its alphabet or, told first, from those that it uses. */
function bitsPerCharacter(points: readonly string[]): number {
  const text = points.join('')
  const size = alphabets.find(([form]) => form.test(text))?.[1] ?? foreignSize
  const used = Math.min(size, new Set(points).size)
  const ofUsed = log2Choose(size, used) / points.length + Math.log2(used)
  return Math.min(Math.log2(size), ofUsed)
}
