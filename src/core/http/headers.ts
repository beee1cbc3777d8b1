/** Spec 5.7; ASVS 3.4.5 and 3.5.8. */
export const securityHeaders = {
  'content-security-policy': "default-src 'self'; script-src 'self'",
  'x-frame-options': 'DENY',
  'x-xss-protection': '1; mode=block',
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const

const entries = Object.entries(securityHeaders)
const allLines = linesOf(entries)

/** The headers that `given` (as for `writeHead`) does not override. Caches the full text. */
export function securityLinesBeside(given: object | null | undefined): string {
  if (Array.isArray(given)) return linesWithout(namesIn(given))
  for (const name in given) {
    if (name.toLowerCase() in securityHeaders) return linesWithout(Object.keys(given))
  }
  return allLines
}

/** Names of a flat list or of pairs. */
function namesIn(list: readonly unknown[]): string[] {
  const isOfPairs = Array.isArray(list[0])
  const names = isOfPairs ? list.flat() : list
  return names.filter((_, index) => index % 2 === 0).map(String)
}

function linesWithout(names: readonly string[]): string {
  const lowerCase = new Set(names.map((name) => name.toLowerCase()))
  return linesOf(entries.filter(([name]) => !lowerCase.has(name)))
}

function linesOf(fields: readonly (readonly [name: string, value: string])[]): string {
  return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}
