/**
 * The variants of a path: what a proxy or an application may take it for. One decodes once and another
 * twice, one takes `\` for `/`, one drops what follows a `;`, and each does it in an order of its own.
 * So every such step is applied to every variant, until no new one comes out.
 */
type Step = (path: string) => string | null

// More of them have no use but to deceive, and each costs time: at most a few milliseconds of a request.
const maxVariants = 48
export const maxCharacters = 32_768
const maxMarks = 200
/** `;`, and an escape with those nested in it. A byte above 7F, as each of `%C3%A4`, is none. */
const mark = /;|%(?![89a-f])(?:25)*(?:u|[0-9a-f]{2})?/gi

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Whether a path has more variants than itself. False only for one of visible ASCII without escapes,
 * backslashes, parameters, `::`, empty segments, and dots at the end of a segment.
 */
export function isAmbiguous(path: string): boolean {
  return /[^\x21-\x7e]|[#%\\;]|\/\/|::|\.(?:\/|$)/.test(path)
}

/**
 * Whether a path has more than 200 escapes of ASCII characters, nested escapes and `;` together. Such a
 * path is refused without its variants, because they would cost the most. `%252e` counts twice.
 */
export function hasTooManyMarks(path: string): boolean {
  if (path.length <= maxMarks) return false
  let count = 0
  for (const [{ length }] of path.matchAll(mark)) count += Math.max(1, Math.ceil((length - 1) / 2))
  return count > maxMarks
}

/**
 * All variants of a path, itself as the first; null if it has none that is sure: it does not begin with
 * `/`, has a control character or a fragment, is not UTF-8, or has too many variants.
 */
export function variantsOf(path: string): readonly string[] | null {
  if (!/^\/[\x21-\x7e]*$/.test(path) || path.includes('#')) return null
  const variants = new Set([path])
  let characters = 0
  // A set goes on to what is added while it is gone through.
  for (const variant of variants) {
    characters += variant.length
    for (const step of steps) {
      const next = step(variant)
      if (next === variant) continue
      if (next === null || /[\p{Cc}\u{fffd}]/u.test(next)) return null
      // A path without its beginning is none: what it begins with then is what an application joins.
      variants.add(next.startsWith('/') ? next : `/${next}`)
    }
    if (variants.size > maxVariants || characters > maxCharacters) return null
  }
  return [...variants]
}

const steps: readonly Step[] = [
  (path) => decoded(path, () => true),
  // The proxies and frameworks that keep an encoded slash within its segment.
  (path) => decoded(path, (byte) => byte !== 0x2f && byte !== 0x5c),
  (path) => decoded(path, isUnreserved),
  (path) => path.replaceAll('\\', '/'),
  (path) => path.replace(/\/{2,}/g, '/'),
  // As the path of an address that begins with a host: `//host/path`.
  (path) => (path.startsWith('//') ? path.replace(/^\/+[^/]*/, '') : path),
  (path) => withoutDots(path),
  (path) => path.replace(/;[^/]*/g, ''), // servlets, at each segment
  (path) => path.replace(/;.*$/s, ''),
  (path) => path.replace(/::[^/]*/g, ''), // the streams of a file of NTFS
  (path) => path.replace(/[?#].*$/s, ''), // they came out of an escape
  // Windows drops dots and spaces at the end of a name, and some programs trim spaces.
  (path) => (path.includes(' ') ? bySegment(path, (name) => name.trim()) : path),
  (path) => (isAmbiguous(path) ? bySegment(path, withoutEnd) : path),
  // Full-width characters and others of the same look. UTS 46, and what Windows calls best fit.
  (path) => (isAscii(path) ? path : lookalikes(path.normalize('NFKC'))),
]

/** Decodes the escapes whose byte is wanted, once; null if what comes out is not UTF-8. */
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
    // The form of old servers of Windows.
    return text.replace(/%u([0-9a-f]{4})/gi, (whole, digits) => {
      const code = Number.parseInt(digits, 16)
      return isWanted(code) ? String.fromCharCode(code).toWellFormed() : whole
    })
  } catch {
    return null
  }
}

/** The value of a hex digit; NaN for another byte. */
function digitAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}

function isUnreserved(byte: number): boolean {
  return byte < 0x80 && /[A-Za-z0-9._~-]/.test(String.fromCharCode(byte))
}

const dots = /^(?:\.|%2e){1,2}$/i

/** RFC 3986 section 5.2.4, with encoded dots too, as browsers and many frameworks take them. */
function withoutDots(path: string): string {
  const segments = path.split('/')
  if (!segments.some((segment) => dots.test(segment))) return path
  const kept: string[] = []
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    if (!dots.test(segment)) kept.push(segment)
    else {
      // The first is the empty one before the first slash, which nothing goes above.
      if (segment.replace(/%2e/gi, '.') === '..' && kept.length > 1) kept.pop()
      if (isLast) kept.push('')
    }
  }
  return kept.join('/')
}

function bySegment(path: string, change: (name: string) => string): string {
  return path.split('/').map(change).join('/')
}

/** A name without the dots and spaces at its end; `.` and `..` are no names. */
function withoutEnd(name: string): string {
  if (name === '.' || name === '..') return name
  let end = name.length
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end -= 1
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
      // What has no width, which some file systems ignore in names.
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  )
}

/** A path in which letters of either case are the same. */
export function folded(path: string): string {
  if (isAscii(path)) return path.toLowerCase()
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}
