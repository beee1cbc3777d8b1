import { unleeted } from './breached/bare-forms.ts'

/** `folded` and `plain`: one UTF-16 unit per code point. */
export interface Subject {
  readonly points: readonly string[]
  readonly folded: string
  /** `folded` with letters for similar digits and signs. */
  readonly plain: readonly string[]
  /** Numeric values, single and in pairs; otherwise NaN. */
  readonly values: { readonly 1: readonly number[]; readonly 2: readonly number[] }
  readonly bitsPerCharacter: number
  /** As in `12-34-56`. */
  readonly separator: string | undefined
}

export function subjectOf(text: string): Subject {
  const points = [...text.normalize('NFC')]
  const folded = points.map(foldedPoint).join('')
  const plain = [...new Set([folded, ...unleeted(folded)])]
  const values = { 1: valuesOf(folded, 1), 2: valuesOf(folded, 2) }
  const separator = separatorOf(points)
  const others = points.filter((point) => point !== separator)
  return { points, folded, plain, values, separator, bitsPerCharacter: bitsPerCharacter(others) }
}

/** The most frequent repeated sign, if other characters exist. */
function separatorOf(points: readonly string[]): string | undefined {
  const signs = points.filter((point) => /[^\p{L}\p{N}]/u.test(point))
  const counts = [...Map.groupBy(signs, (sign) => sign)].map(
    ([sign, all]) => [sign, all.length] as const,
  )
  const [commonest, count] = counts.toSorted(([, one], [, other]) => other - one)[0] ?? ['', 0]
  return count > 1 && count <= points.length / 2 ? commonest : undefined
}

/** Code points beyond one unit map to the private use area, often equally. */
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
/** For other scripts: texts use few of their characters. */
const foreignSize = 128

/** By alphabet, or by own characters plus the cost of listing them. */
function bitsPerCharacter(points: readonly string[]): number {
  const text = points.join('')
  const size = alphabets.find(([form]) => form.test(text))?.[1] ?? foreignSize
  const used = Math.min(size, new Set(points).size)
  const ofUsed = log2Choose(size, used) / points.length + Math.log2(used)
  return Math.min(Math.log2(size), ofUsed)
}

export function bitsOfCharacter({ points, separator, bitsPerCharacter }: Subject, at: number) {
  return points[at] === separator ? 1 : bitsPerCharacter
}

/** Bits of choosing `chosen` of `all` items. */
export function log2Choose(all: number, chosen: number): number {
  let bits = 0
  for (let index = 1; index <= chosen; index += 1) bits += Math.log2((all - chosen + index) / index)
  return bits
}
