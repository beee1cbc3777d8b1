import { unleeted } from './breached/bare-forms.ts'

/** A text to be judged; `folded` and `plain` have one UTF-16 unit per code point of it. */
export interface Subject {
  readonly points: readonly string[]
  /** Lower case, no accents. */
  readonly folded: string
  /** `folded`, with letters in place of digits and signs that resemble them. */
  readonly plain: readonly string[]
  /** Digits and letters as numbers, singly and in pairs; NaN for other characters. */
  readonly values: { readonly 1: readonly number[]; readonly 2: readonly number[] }
  readonly bitsPerCharacter: number
  /** The sign that separates groups, as in `12-34-56`. */
  readonly separator: string | undefined
}

/** Prepares a text for the models. */
export function subjectOf(text: string): Subject {
  const points = [...text.normalize('NFC')]
  const folded = points.map(foldedPoint).join('')
  const plain = [...new Set([folded, ...unleeted(folded)])]
  const values = { 1: valuesOf(folded, 1), 2: valuesOf(folded, 2) }
  const separator = separatorOf(points)
  const others = points.filter((point) => point !== separator)
  return { points, folded, plain, values, separator, bitsPerCharacter: bitsPerCharacter(others) }
}

/** The most frequent sign, if it occurs more than once and the text has other characters. */
function separatorOf(points: readonly string[]): string | undefined {
  const signs = points.filter((point) => /[^\p{L}\p{N}]/u.test(point))
  const counts = [...Map.groupBy(signs, (sign) => sign)].map(
    ([sign, all]) => [sign, all.length] as const,
  )
  const [commonest, count] = counts.toSorted(([, one], [, other]) => other - one)[0] ?? ['', 0]
  return count > 1 && count <= points.length / 2 ? commonest : undefined
}

/** A code point as one UTF-16 unit; if it has two, one of the private use area, often the same. */
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
/** The alphabet size of other scripts, of which a text uses few characters. */
const foreignSize = 128

/**
 * The bits per character: of its alphabet, or of its own characters plus the bits that list them.
 */
function bitsPerCharacter(points: readonly string[]): number {
  const text = points.join('')
  const size = alphabets.find(([form]) => form.test(text))?.[1] ?? foreignSize
  const used = Math.min(size, new Set(points).size)
  const ofUsed = log2Choose(size, used) / points.length + Math.log2(used)
  return Math.min(Math.log2(size), ofUsed)
}

/** The bits of a single character that no model describes. */
export function bitsOfCharacter({ points, separator, bitsPerCharacter }: Subject, at: number) {
  return points[at] === separator ? 1 : bitsPerCharacter
}

/** The bits of a choice of `chosen` items out of `all`. */
export function log2Choose(all: number, chosen: number): number {
  let bits = 0
  for (let index = 1; index <= chosen; index += 1) bits += Math.log2((all - chosen + index) / index)
  return bits
}
