/**
 * How proxies and applications may interpret a path: programs decode once or twice, treat `\` as
 * `/`, or drop everything after `;`, in any order. So every step is applied to every variant until
 * no new variant appears.
 */
type Step = (path: string) => string | null

// Only attacks need more.
const maxVariants = 48
export const maxCharacters = 32_768
const maxMarks = 200
/** `;`, and an escape with its nested escapes. Bytes above 7F, as in `%C3%A4`, do not count. */
const mark = /;|%(?![89a-f])(?:25)*(?:u|[0-9a-f]{2})?/gi

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * False only for visible ASCII without escapes, backslashes, parameters, `::`, empty segments, and
 * dots at the end of a segment.
 */
export function isAmbiguous(path: string): boolean {
  return /[^\x21-\x7e]|[#%\\;]|\/\/|::|\.(?:\/|$)/.test(path)
}

/**
 * More than 200 escapes of ASCII characters, nested escapes and `;`: rejected unexamined, because
 * the variants cost the most. `%252e` counts twice.
 */
export function hasTooManyMarks(path: string): boolean {
  if (path.length <= maxMarks) return false
  let count = 0
  for (const [{ length }] of path.matchAll(mark)) count += Math.max(1, Math.floor(length / 2))
  return count > maxMarks
}

/**
 * The path itself first. Null if unsafe: no leading `/`, a control character, a fragment, invalid
 * UTF-8, or too many variants.
 */
export function variantsOf(path: string): readonly string[] | null {
  if (!/^\/[\x21-\x7e]*$/.test(path) || path.includes('#')) return null
  const variants = new Set([path])
  let characters = 0
  // Includes variants that this loop adds.
  for (const variant of variants) {
    characters += variant.length
    for (const step of steps) {
      const next = step(variant)
      if (next === variant) continue
      if (next === null || /[\p{Cc}\u{fffd}]/u.test(next)) return null
      // Applications join a path without a leading slash.
      variants.add(next.startsWith('/') ? next : `/${next}`)
    }
    if (variants.size > maxVariants || characters > maxCharacters) return null
  }
  return [...variants]
}

const steps: readonly Step[] = [
  (path) => decoded(path, () => true),
  // Some programs keep an encoded slash within its segment.
  (path) => decoded(path, (byte) => byte !== 0x2f && byte !== 0x5c),
  (path) => decoded(path, isUnreserved),
  (path) => path.replaceAll('\\', '/'),
  (path) => path.replace(/\/{2,}/g, '/'),
  // `//host/path`
  (path) => (path.startsWith('//') ? path.replace(/^\/+[^/]*/, '') : path),
  (path) => withoutDots(path),
  (path) => path.replace(/;[^/]*/g, ''), // servlets, at each segment
  (path) => path.replace(/;.*$/s, ''),
  (path) => path.replace(/::[^/]*/g, ''), // NTFS file streams
  (path) => path.replace(/[?#].*$/s, ''), // result of unescaping
  // Windows drops trailing dots and spaces; some programs trim spaces.
  (path) => (path.includes(' ') ? bySegment(path, (name) => name.trim()) : path),
  (path) => (isAmbiguous(path) ? bySegment(path, withoutEnd) : path),
  // Full-width and look-alike characters: UTS 46, Windows "best fit".
  (path) => (isAscii(path) ? path : lookalikes(path.normalize('NFKC'))),
]

/** Null if the result is not UTF-8. */
function decoded(path: string, isWanted: (byte: number) => boolean): string | null {
  if (!path.includes('%')) return path
  const bytes = Buffer.from(path, 'utf8')
  let length = 0
  let isChanged = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    const value = byte === 0x25 ? 16 * digitAt(bytes, at + 1) + digitAt(bytes, at + 2) : Number.NaN
    const isDecoded = value >= 0 && isWanted(value)
    bytes[length] = isDecoded ? value : byte
    length += 1
    if (isDecoded) at += 2
    isChanged ||= isDecoded
  }
  try {
    const text = isChanged ? utf8.decode(bytes.subarray(0, length)) : path
    // Old Windows servers.
    return text.replace(/%u([0-9a-f]{4})/gi, (whole, digits) => {
      const code = Number.parseInt(digits, 16)
      return isWanted(code) ? String.fromCharCode(code).toWellFormed() : whole
    })
  } catch {
    return null
  }
}

/** NaN if not a hex digit. */
function digitAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}

function isUnreserved(byte: number): boolean {
  return /[A-Za-z0-9._~-]/.test(String.fromCharCode(byte))
}

const dots = /^(?:\.|%2e){1,2}$/i

/** RFC 3986 section 5.2.4, including encoded dots, as browsers do. */
function withoutDots(path: string): string {
  const segments = path.split('/')
  const kept: string[] = []
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    if (!dots.test(segment)) kept.push(segment)
    else {
      // Nothing is above the root.
      if (segment.replace(/%2e/gi, '.') === '..' && kept.length > 1) kept.pop()
      if (isLast) kept.push('')
    }
  }
  return kept.join('/')
}

function bySegment(path: string, change: (name: string) => string): string {
  return path.split('/').map(change).join('/')
}

/** Keeps `.` and `..`. */
function withoutEnd(name: string): string {
  if (name === '.' || name === '..') return name
  let end = name.length
  while (name[end - 1] === '.' || name[end - 1] === ' ') end -= 1
  return name.slice(0, end)
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}

function lookalikes(text: string): string {
  return (
    text
      .replace(/[\u2044\u2215\u29f8]/g, '/')
      .replace(/[\u2216\u29f5\ufe68\u00a5\u20a9]/g, '\\')
      .replace(/[\u3002\uff61]/g, '.')
      // Ignored by some file systems.
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  )
}

export function folded(path: string): string {
  if (isAscii(path)) return path.toLowerCase()
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}
