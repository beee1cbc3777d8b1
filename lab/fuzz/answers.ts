export interface ReadAnswer {
  readonly status: number
  /** Names in lower case; a header that is sent twice is here twice. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

export interface Read {
  readonly answers: readonly ReadAnswer[]
  /** Why the bytes are no answers of HTTP. */
  readonly fault: string | null
  /** Whether the last answer is complete, and nothing follows it. */
  readonly isComplete: boolean
}

export const cutOff = 'the body of an answer is cut off'

export function headerOf({ headers }: ReadAnswer, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1]
}

/**
 * Reads the answers of a connection; interim ones (1xx) are left out.
 * @param methods the methods of the requests in order, since the answer to HEAD has no body
 * @param isEnded whether the connection is closed, so that nothing more comes
 */
export function readAnswers(bytes: Buffer, methods: readonly string[], isEnded: boolean): Read {
  const answers: ReadAnswer[] = []
  const text = bytes.toString('latin1')
  let at = 0
  const incomplete = (why: string): Read => ({
    answers,
    fault: isEnded ? why : null,
    isComplete: false,
  })
  while (at < text.length) {
    const headEnd = text.indexOf('\r\n\r\n', at)
    if (headEnd < 0) return incomplete('the head of an answer is cut off')
    const [statusLine = '', ...lines] = text.slice(at, headEnd).split('\r\n')
    const [, found] = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/.exec(statusLine) ?? []
    if (found === undefined) {
      const fault = `not a status line: ${JSON.stringify(statusLine.slice(0, 100))}`
      return { answers, fault, isComplete: false }
    }
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    })
    const wrong = lines.find((line) => !/^[\w-]+: ?[\t\x20-\x7e\x80-\xff]*$/.test(line))
    if (wrong !== undefined) {
      const fault = `not a header line: ${JSON.stringify(wrong.slice(0, 100))}`
      return { answers, fault, isComplete: false }
    }
    const status = Number(found)
    at = headEnd + 4
    if (status < 200) continue
    // What the parser refuses has a body, also for HEAD.
    const isHead = methods[answers.length] === 'HEAD' && /^$|^HTTP\//.test(text.slice(at, at + 5))
    const isEmpty = isHead || status === 204 || status === 304
    const body = isEmpty ? { raw: '', end: at } : bodyAt(text, at, headers, isEnded)
    if (body === null) return incomplete(cutOff)
    if (typeof body === 'string') return { answers, fault: body, isComplete: false }
    answers.push({ status, headers, body: Buffer.from(body.raw, 'latin1').toString() })
    at = body.end
  }
  return { answers, fault: null, isComplete: true }
}

interface BodyAt {
  readonly raw: string
  readonly end: number
}

/** Null: more must come; a text: a fault. */
function bodyAt(
  text: string,
  at: number,
  headers: readonly (readonly [string, string])[],
  isEnded: boolean,
): BodyAt | string | null {
  const lengths = headers.filter(([name]) => name === 'content-length')
  const codings = headers.filter(([name]) => name === 'transfer-encoding')
  if (lengths.length + codings.length > 1) return 'an answer with two lengths'
  const length = lengths[0]?.[1]
  if (length !== undefined) {
    const end = at + Number(length)
    return end > text.length ? null : { raw: text.slice(at, end), end }
  }
  if (codings.length > 0) return chunksAt(text, at)
  return isEnded ? { raw: text.slice(at), end: text.length } : null
}

function chunksAt(text: string, start: number): BodyAt | string | null {
  let [at, raw] = [start, '']
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd < 0) return null
    const line = text.slice(at, lineEnd)
    if (!/^[0-9a-f]+$/i.test(line)) return `not a chunk size: ${JSON.stringify(line.slice(0, 100))}`
    const size = Number.parseInt(line, 16)
    const end = lineEnd + 2 + size + 2
    if (end > text.length) return null
    raw += text.slice(lineEnd + 2, lineEnd + 2 + size)
    at = end
    if (size === 0) return { raw, end: at }
  }
}
