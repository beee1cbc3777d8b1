/** The text, without quotes, and decoded. */
export function readingsOf(text: string): readonly string[] {
  const readings = new Set([text, unquoted(text)])
  for (const reading of readings) {
    // Also visits added texts, for double encoding.
    for (const encoding of encodings) {
      const decoded = decode(reading, encoding)
      if (decoded !== undefined) readings.add(unquoted(decoded))
    }
  }
  return [...readings]
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'`])(.*)\1$/s, '$2')
}

const encodings = [
  { name: 'hex', shape: /^(?:[0-9a-f]{2}){8,}$/i },
  { name: 'base64', shape: /^[\w+/-]{11,}={0,2}$/ },
] as const

/** Hex or base64; undefined unless printable. */
function decode(text: string, { name, shape }: (typeof encodings)[number]): string | undefined {
  if (!shape.test(text)) return undefined
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, name))
    return /^(?:[^\p{C}]|[\t\r\n])+$/u.test(decoded) ? decoded : undefined
  } catch {
    return undefined
  }
}
