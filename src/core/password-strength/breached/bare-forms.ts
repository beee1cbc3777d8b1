/** Longer cores are no common words: only the whole password is looked up. */
const maxCoreLength = 24
/** Decoration digits at each end. */
const maxExtraDigits = 2
/** Shorter rests repeat or run by chance. */
const minRestLength = 8

const signs: Readonly<Record<string, string>> = {
  '0': 'o',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '6': 'g',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '+': 't',
  '€': 'e',
}

/** Digits and signs as letters; two texts, because 1 can be i or l. */
export function unleeted(text: string): readonly string[] {
  const plain = text.replace(/[02-9@$+€]/g, (sign) => signs[sign] ?? sign)
  return [plain.replace(/[1!|]/g, 'i'), plain.replace(/[1!|]/g, 'l')]
}

/** The last repetition may be cut off. */
export function repeatedUnit(text: string): string | undefined {
  const points = [...text]
  for (let length = 1; length <= points.length / 2; length += 1) {
    if (points.every((point, at) => at < length || point === points[at - length])) {
      return points.slice(0, length).join('')
    }
  }
  return undefined
}

/**
 * Without some or all digits and signs around the letters, with letters for digits, and the
 * repeated unit.
 * @param password in lower case
 */
export function bareForms(password: string): ReadonlySet<string> {
  const points = [...password]
  const kind = /\p{L}/u.test(password) ? /\p{L}/u : /\p{N}/u // without letters, signs are removed
  const first = points.findIndex((point) => kind.test(point))
  const last = points.findLastIndex((point) => kind.test(point))
  const forms = new Set([password, ...unleeted(password)])
  if (first < 0) return forms
  if (kind.test('0')) {
    const number = points.slice(first, last + 1)
    for (let start = 0; start <= maxExtraDigits; start += 1) {
      for (let end = 0; end <= maxExtraDigits; end += 1) {
        forms.add(number.slice(start, number.length - end).join(''))
      }
    }
  }
  for (let start = first; start >= 0; start -= 1) {
    const longest = Math.min(points.length, start + maxCoreLength)
    for (let end = last + 1; end <= longest; end += 1) {
      const core = points.slice(start, end).join('')
      for (const form of [core, ...unleeted(core)]) forms.add(form)
    }
  }
  const unit = repeatedUnit(points.slice(first, last + 1).join(''))
  if (unit) for (const form of [unit, ...unleeted(unit)]) forms.add(form)
  return forms
}

/**
 * Without surrounding signs, or signs and digits; omits short rests.
 * @param password in lower case
 */
export function undecorated(password: string): readonly string[] {
  const withoutSigns = password.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
  const letters = withoutSigns.replace(/^\P{L}+|\P{L}+$/gu, '')
  const rests = new Set([withoutSigns, letters])
  return [...rests].filter((rest) => rest !== password && [...rest].length >= minRestLength)
}
