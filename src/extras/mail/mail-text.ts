export interface ReadMail {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly text: string
  /** Null without one. */
  readonly html: string | null
}

/** Reads only mail written by `compose`. RFC 5322, RFC 2046 section 5.1. */
export function readMail(content: string): ReadMail {
  const { headers: encoded, body } = readPart(content)
  const headers = encoded.map(([name, value]) => [name, decodedWords(value)] as const)
  const boundary = /boundary="([^"]+)"/.exec(valueIn(headers, 'content-type'))?.[1]
  if (boundary === undefined) return { headers, text: textOf({ headers, body }), html: null }
  const parts = body.split(`--${boundary}`).map((part) => readPart(part.replace(/^\r\n/, '')))
  const partOf = (type: string) =>
    parts.find((part) => valueIn(part.headers, 'content-type').startsWith(type))
  const [plain, html] = [partOf('text/plain'), partOf('text/html')]
  return { headers, text: plain ? textOf(plain) : '', html: html ? textOf(html) : null }
}

interface Part {
  readonly headers: ReadMail['headers']
  readonly body: string
}

function readPart(part: string): Part {
  const end = part.indexOf('\r\n\r\n')
  const lines = part
    .slice(0, Math.max(end, 0))
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, Math.max(colon, 0)), line.slice(colon + 1).trim()]
  })
  return { headers, body: part.slice(end + 4) }
}

function valueIn(headers: ReadMail['headers'], wanted: string): string {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ''
}

/** Decodes UTF-8 encoded words; whitespace between encoded words is dropped. RFC 2047. */
function decodedWords(value: string): string {
  return value.replaceAll(encodedWords, (words) => {
    const bytes = [...words.matchAll(encodedWord)].map(([, encoding = '', text = '']) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64')
        : bytesOfHex(text.replaceAll('_', ' ')),
    )
    return Buffer.concat(bytes).toString() // a character can span two words
  })
}

const encodedWord = /=\?utf-8\?([bq])\?([^? ]*)\?=/gi
const encodedWords = /=\?utf-8\?[bq]\?[^? ]*\?=(?:[ \t]+=\?utf-8\?[bq]\?[^? ]*\?=)*/gi

/** RFC 2045 section 6. */
function textOf({ headers, body }: Part): string {
  const encoding = valueIn(headers, 'content-transfer-encoding').toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  // Whitespace before the `=` of a soft line break is data; whitespace after was added in transit.
  return bytesOfHex(body.replaceAll(/=[ \t]*\r\n/g, '')).toString()
}

function bytesOfHex(text: string): Buffer {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1')
}
