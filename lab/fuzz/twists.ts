export interface Concrete {
  readonly method: string
  /** Path and query, as they go into the request line. */
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer | null
}

/** The bytes of a twist, and the methods of its requests, in order. */
export interface Written {
  /** Written one after another; the server may get them apart. */
  readonly pieces: readonly Buffer[]
  readonly methods: readonly string[]
  /** False: any response or the end of the connection is right. */
  readonly isIntact?: boolean
}

type Twist = (request: Concrete) => Written

const ping = Buffer.from('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n')
const lastPing = Buffer.from(
  'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
)

/** Of these each must be answered, since they are HTTP. */
const whole = {
  plain: (request) => answered(request, [head(request), request.body]),
  chunked: (request) => answered(request, chunked(request, [request.body ?? Buffer.alloc(0)])),
  'small chunks': (request) => answered(request, chunked(request, cut(request.body, 7))),
  'two pieces': (request) => {
    const bytes = joined([head(request), request.body])
    const half = bytes.length >> 1
    return { pieces: [bytes.subarray(0, half), bytes.subarray(half)], methods: [request.method] }
  },
  pipelined: (request) => {
    const kept = { ...request, headers: request.headers.filter(([name]) => name !== 'Connection') }
    const pieces = [joined([ping, head(kept), request.body, lastPing])]
    return { pieces, methods: ['GET', request.method, 'GET'] }
  },
  'absolute form': (request) => {
    const target = `http://localhost${request.target}`
    return answered(request, [head({ ...request, target }), request.body])
  },
} satisfies Record<string, Twist>

/** These are not quite HTTP, or end too early. */
const broken = {
  'HTTP/1.0': (request) => edited(request, (text) => text.replace(' HTTP/1.1', ' HTTP/1.0')),
  'HTTP/0.9': ({ method, target }) => bytesOf(`${method} ${target}\r\n`),
  'HTTP/2.0': (request) => edited(request, (text) => text.replace(' HTTP/1.1', ' HTTP/2.0')),
  preface: () => bytesOf('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  'TLS hello': () => bytesOf('\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'),
  garbage: () => bytesOf('\0\x01\xff\r\n\r\n'),
  'no request line': () => bytesOf('\r\n\r\n'),
  'short body': (request) => withLength(request, (length) => `${length + 5}`),
  'long body': (request) => withLength(request, (length) => `${Math.max(0, length - 3)}`),
  'length in hex': (request) => withLength(request, (length) => `0x${length.toString(16)}`),
  'length twice': (request) => withLength(request, (length) => `${length}\r\nContent-Length: 1`),
  'length of a list': (request) => withLength(request, (length) => `${length}, ${length}`),
  'length and chunks': (request) =>
    withLength(request, (length) => `${length}\r\nTransfer-Encoding: chunked`),
  'no length': (request) => edited(request, (text) => text.replace(/^content-length:.*\r\n/im, '')),
  'chunk size': (request) => chunksOf(request, 'zz\r\nab\r\n0\r\n\r\n'),
  'chunk size of 20 digits': (request) => chunksOf(request, 'fffffffffffffffffff0\r\nab\r\n'),
  'chunk size, negative': (request) => chunksOf(request, '-1\r\nab\r\n0\r\n\r\n'),
  'chunk extension': (request) => chunksOf(request, `2;${'a=b;'.repeat(300)}\r\n{}\r\n0\r\n\r\n`),
  'chunk extension, huge': (request) =>
    chunksOf(request, `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
  'chunk without end': (request) => chunksOf(request, '2\r\n{}0\r\n\r\n'),
  'chunks without the last': (request) => chunksOf(request, '2\r\n{}\r\n'),
  'bare LF in chunks': (request) => chunksOf(request, '2\n{}\n0\n\n'),
  trailers: (request) => chunksOf(request, '2\r\n{}\r\n0\r\nX-CSRF-Token: a\r\nHost: b\r\n\r\n'),
  'bare LF': (request) => edited(request, (text) => text.replaceAll('\r\n', '\n')),
  'bare CR': (request) => edited(request, (text) => text.replace('\r\n', '\r')),
  'folded header': (request) => lineIn(request, 'X-Fold: a\r\n b\r\n'),
  'space before colon': (request) => lineIn(request, 'Host : localhost\r\n'),
  'no colon': (request) => lineIn(request, 'just text\r\n'),
  'empty name': (request) => lineIn(request, ': a\r\n'),
  'NUL in a header': (request) => lineIn(request, 'X: a\0b\r\n'),
  'bytes in a header': (request) => lineIn(request, 'X\xff: \xff\x9b\r\n'),
  'two hosts': (request) => lineIn(request, 'Host: other\r\n'),
  'no host': (request) => edited(request, (text) => text.replace(/^host:.*\r\n/im, '')),
  'huge header': (request) => lineIn(request, `X: ${'x'.repeat(17_000)}\r\n`),
  'many headers': (request) => lineIn(request, 'X: y\r\n'.repeat(2_100)),
  'huge target': (request) =>
    edited(request, (text) => text.replace(' HTTP/', `?${'x'.repeat(17_000)} HTTP/`)),
  'method in lower case': (request) =>
    edited(request, (text) => text.replace(/^\w+/, (name) => name.toLowerCase())),
  'unknown method': (request) => edited(request, (text) => text.replace(/^\w+/, 'BREW')),
  'method of RTSP': (request) => edited(request, (text) => text.replace(/^\w+/, 'DESCRIBE')),
  CONNECT: (request) => edited(request, (text) => text.replace(/^\S+ \S+/, 'CONNECT localhost:80')),
  asterisk: (request) => edited(request, (text) => text.replace(/^\S+ \S+/, 'OPTIONS *')),
  'spaces in the request line': (request) => edited(request, (text) => text.replace(' ', '   ')),
  'half a head': (request) => half(head(request)),
  'half a body': (request) => half(joined([head(request), request.body])),
  'bytes behind': (request) => {
    const kept = { ...request, headers: request.headers.filter(([name]) => name !== 'Connection') }
    return { pieces: [joined([head(kept), request.body, Buffer.from('\0\0GET')])], methods: [] }
  },
} satisfies Record<string, Twist>

const twists: Readonly<Record<string, Twist>> = { ...whole, ...broken }

export const wholeTwists: readonly string[] = Object.keys(whole)
export const brokenTwists: readonly string[] = Object.keys(broken)

/** Headers that frame a request: with another of them, it may never be whole for the server. */
const framing = /^(content-length|transfer-encoding|expect|upgrade|connection|host)$/i

export function written(request: Concrete, twist: string): Written {
  const { pieces, methods } = (twists[twist] ?? whole.plain)(request)
  const names = request.headers.map(([name]) => name.toLowerCase())
  const isReframed = names.some((name, at) => framing.test(name) && names.indexOf(name) !== at)
  const isStrange = names.some((name) => /^(transfer-encoding|expect|upgrade)$/.test(name))
  return {
    pieces,
    methods: methods.length > 0 ? methods : [request.method],
    isIntact: methods.length > 0 && !isReframed && !isStrange && isClean(request),
  }
}

/** Whether a parser has nothing to object to: no line breaks in a header, no spaces in the target. */
function isClean({ method, target, headers }: Concrete): boolean {
  const isText = headers.every(([, value]) => /^[\t\x20-\x7e\x80-\uffff]*$/.test(value))
  const size = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  return (
    isText && size + target.length < 12_000 && /^[\x21-\x7e]+$/.test(target) && method !== 'CONNECT'
  )
}

/** The request line and the headers, in UTF-8. */
export function head({ method, target, headers }: Concrete): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
}

function answered({ method }: Concrete, parts: readonly (Buffer | null)[]): Written {
  return { pieces: [joined(parts)], methods: [method] }
}

function chunked(request: Concrete, parts: readonly Buffer[]): Buffer[] {
  const chunks = parts
    .filter((part) => part.length > 0)
    .flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
  return [chunkedHead(request), ...chunks, Buffer.from('0\r\n\r\n')]
}

function chunkedHead(request: Concrete): Buffer {
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== 'content-length')
  return head({ ...request, headers: [...headers, ['Transfer-Encoding', 'chunked']] })
}

function chunksOf(request: Concrete, chunks: string): Written {
  return { pieces: [joined([chunkedHead(request), Buffer.from(chunks, 'latin1')])], methods: [] }
}

function edited(request: Concrete, edit: (text: string) => string): Written {
  const text = edit(head(request).toString('latin1'))
  return { pieces: [joined([Buffer.from(text, 'latin1'), request.body])], methods: [] }
}

function withLength(request: Concrete, value: (length: number) => string): Written {
  const length = `Content-Length: ${value(request.body?.length ?? 0)}\r\n`
  return edited(
    request,
    (text) => `${text.replace(/^content-length:.*\r\n/im, '').slice(0, -2)}${length}\r\n`,
  )
}

function lineIn(request: Concrete, line: string): Written {
  return edited(request, (text) => text.replace('\r\n', `\r\n${line}`))
}

function half(bytes: Buffer): Written {
  return { pieces: [bytes.subarray(0, bytes.length >> 1)], methods: [] }
}

function bytesOf(text: string): Written {
  return { pieces: [Buffer.from(text, 'latin1')], methods: [] }
}

function cut(body: Buffer | null, size: number): Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; body && at < Math.min(body.length, 400); at += size) {
    parts.push(body.subarray(at, Math.min(at + size, 400)))
  }
  if (body && body.length > 400) parts.push(body.subarray(400))
  return parts
}

function joined(parts: readonly (Buffer | null)[]): Buffer {
  return Buffer.concat(parts.filter((part) => part !== null))
}
