/** Beyond this length a core is no common word any more, and only the whole password is asked for. */
const longestCore = 24

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

/** Letters for the digits and signs that stand for them; a 1 is an i or an l, so there are two. */
export function unleeted(text: string): readonly string[] {
  const plain = text.replace(/[02-9@$+€]/g, (sign) => signs[sign] ?? sign)
  return [plain.replace(/[1!|]/g, 'i'), plain.replace(/[1!|]/g, 'l')]
}

/** The piece that a text repeats, the last time perhaps cut off; undefined where it repeats none. */
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
 * All that a password may be under its decoration: with more or less of the digits and signs around
 * its letters taken off, as it is and with letters for digits, and the piece that it repeats.
 * @param password in lower case
 */
export function bareForms(password: string): ReadonlySet<string> {
  const points = [...password]
  const kind = /\p{L}/u.test(password) ? /\p{L}/u : /\p{N}/u // of digits alone: signs come off
  const first = points.findIndex((point) => kind.test(point))
  const last = points.findLastIndex((point) => kind.test(point))
  const forms = new Set([password, ...unleeted(password)])
  if (first < 0) return forms
  for (let start = first; start >= 0; start -= 1) {
    const longest = Math.min(points.length, start + longestCore)
    for (let end = last + 1; end <= longest; end += 1) {
      const core = points.slice(start, end).join('')
      for (const form of [core, ...unleeted(core)]) forms.add(form)
    }
  }
  const unit = repeatedUnit(points.slice(first, last + 1).join(''))
  if (unit) for (const form of [unit, ...unleeted(unit)]) forms.add(form)
  return forms
}
