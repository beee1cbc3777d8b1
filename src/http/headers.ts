/** The headers of spec 5.7, sent with every answer, and those that ASVS 3.4.5 and 3.5.8 add. */
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

/**
 * The header lines of those that an answer does not set itself, whose headers are given by name.
 * The text of all is made once.
 */
export function securityLinesBeside(given: object | null | undefined): string {
  for (const name in given) if (name.toLowerCase() in securityHeaders) return linesWithout(given)
  return allLines
}

function linesWithout(given: object): string {
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()))
  return linesOf(entries.filter(([name]) => !names.has(name)))
}

function linesOf(fields: readonly (readonly [name: string, value: string])[]): string {
  return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}
