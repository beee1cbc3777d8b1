import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { isLoopback } from '../addresses/loopback.ts'
import { http } from '../lib/node-http.ts'
import { type Lookup, lookUpName } from './lookup.ts'
import { OutboundError } from './outbound-error.ts'
import { assertMayReach, checkedUrl, hostOf, mayReach, type OutboundRules } from './target.ts'

/** A request to an untrusted address. */
export interface OutboundRequest {
  readonly url: string
  readonly method: string
  /** Replaces the URL's path, for CONNECT. RFC 9112 section 3.2. */
  readonly target?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface OutboundOptions {
  readonly rules: OutboundRules
  /** Total: lookup, connection, response. */
  readonly timeoutMs: number
  /** Longer bodies are truncated and the connection closed. */
  readonly maxAnswerBytes: number
  readonly signal?: AbortSignal
  /** Default: the system's. */
  readonly lookup?: Lookup
  /** PEM; replaces Node's CAs. */
  readonly ca?: string
  /** To inspect invalid certificates. */
  readonly acceptsAnyCertificate?: boolean
  readonly localAddress?: string
}

export interface OutboundAnswer {
  readonly status: number
  /** Untrusted: anything that HTTP allows except line ends. */
  readonly headers: IncomingMessage['headers']
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly isCut: boolean
  /** Canonical form. */
  readonly address: string
  readonly localAddress: string
  /** Expiry, epoch milliseconds; null without TLS. */
  readonly certificateUntil: number | null
}

const maxHeaderBytes = 16_384
const maxInformational = 8

/**
 * Prevents SSRF and DNS rebinding: looks the name up once, checks every address, connects only to
 * checked addresses and checks the connection again. No redirects, connection reuse or environment
 * proxy. docs/adr/0065 @throws OutboundError
 */
export async function guardedRequest(
  request: OutboundRequest,
  options: OutboundOptions,
): Promise<OutboundAnswer> {
  const { rules, timeoutMs, signal } = options
  const url = checkedUrl(request.url, rules)
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(timedOut(timeoutMs)), timeoutMs)
  const stop = () => limit.abort(new OutboundError('stopped', 'the request was ended'))
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop)
  try {
    const addresses = await unlessAborted(limit.signal, addressesOf(url, options, limit.signal))
    return await exchange(url, request, addresses, options, limit.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/** One forbidden address rejects the name. */
async function addressesOf(
  url: URL,
  { rules, lookup = lookUpName }: OutboundOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = hostOf(url)
  if (isIP(host) !== 0) return [host]
  // Resolved locally, RFC 6761 section 6.3.
  if (isLoopback(host)) {
    const own = ['127.0.0.1', '::1'].filter((address) => mayReach(address, rules))
    return own.length > 0 ? own : allowed(['127.0.0.1'], rules)
  }
  let found: readonly string[]
  try {
    found = await lookup(host, signal)
  } catch (cause) {
    throw new OutboundError('name_not_found', 'the host name has no address', { cause })
  }
  const addresses = found.filter((address) => isIP(address) !== 0)
  if (addresses.length === 0) {
    throw new OutboundError('name_not_found', 'the host name has no address')
  }
  return allowed(addresses, rules)
}

function allowed(addresses: readonly string[], rules: OutboundRules): readonly string[] {
  for (const address of addresses) assertMayReach(address, rules)
  return addresses
}

function exchange(
  url: URL,
  { method, target, headers = {}, body }: OutboundRequest,
  addresses: readonly string[],
  { rules, maxAnswerBytes, ca, acceptsAnyCertificate = false, localAddress }: OutboundOptions,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  const isTls = url.protocol === 'https:'
  const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>()
  const outgoing = (isTls ? https : http).request(url, {
    method,
    ...(target !== undefined && { path: target }),
    ...(localAddress !== undefined && { localAddress }),
    headers: {
      ...headers,
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
    // Dedicated: global agents keep connections alive and may use a proxy.
    agent: new (isTls ? https : http).Agent({ keepAlive: false }),
    lookup: pinned(addresses),
    maxHeaderSize: maxHeaderBytes,
    ...(isTls && { rejectUnauthorized: !acceptsAnyCertificate, minVersion: 'TLSv1.2' }),
    ...(isTls && ca !== undefined && { ca }),
  })
  const end = (error: OutboundError) => {
    reject(error)
    outgoing.destroy()
  }
  const abort = () => end(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)

  outgoing.on('socket', (socket: Socket) => {
    // Checks the actual peer before any write.
    socket.once('connect', () => {
      try {
        assertMayReach(socket.remoteAddress ?? '0.0.0.0', rules)
      } catch (error) {
        end(error as OutboundError) // the only type thrown here
      }
    })
  })
  outgoing.on('error', (error) => reject(failureOf(error)))

  let informational = 0
  outgoing.on('information', () => {
    informational += 1
    if (informational > maxInformational) end(unreadable('too many informational answers'))
  })
  // Responses to CONNECT and 101 hand over the connection, without body.
  const handedOver = (response: IncomingMessage) => settle(response, Buffer.alloc(0), false)
  outgoing.on('connect', handedOver)
  outgoing.on('upgrade', handedOver)

  outgoing.on('response', (response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, maxAnswerBytes - bytes))
      bytes += chunk.length
      if (bytes > maxAnswerBytes) settle(response, Buffer.concat(chunks), true)
    })
    response.on('end', () => settle(response, Buffer.concat(chunks), false))
    response.on('error', (error) => reject(failureOf(error)))
    response.on('close', () => reject(unreadable('the answer broke off')))
  })
  outgoing.end(body)
  return promise.finally(() => {
    signal.removeEventListener('abort', abort)
    outgoing.destroy()
  })

  function settle(response: IncomingMessage, read: Buffer, isCut: boolean): void {
    const { headers: answered, rawHeaders, statusCode = 0 } = response
    resolve({
      status: statusCode,
      headers: answered,
      rawHeaders,
      body: read,
      isCut,
      address: response.socket.remoteAddress ?? '',
      localAddress: response.socket.localAddress ?? '',
      certificateUntil: certificateUntil(response.socket),
    })
  }
}

/** A lookup for `net.connect` that always returns these addresses. */
function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, callback) => {
    if (options.all) callback(null, all)
    else callback(null, all[0]?.address ?? '', all[0]?.family ?? 0)
  }
}

function certificateUntil(socket: Socket): number | null {
  if (!('getPeerCertificate' in socket) || typeof socket.getPeerCertificate !== 'function') {
    return null
  }
  return Date.parse(socket.getPeerCertificate().valid_to) || null
}

function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([promise, work]).finally(() => signal.removeEventListener('abort', abort))
}

function timedOut(timeoutMs: number): OutboundError {
  return new OutboundError('timed_out', `no whole answer came within ${timeoutMs / 1000} s`)
}

function unreadable(message: string, cause?: unknown): OutboundError {
  return new OutboundError('answer_unreadable', message, { cause })
}

/** Codes only: Node's messages may contain remote data. */
function failureOf(error: unknown): OutboundError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (error instanceof OutboundError) return error
  if (code.startsWith('HPE_')) return unreadable('the answer is not HTTP', error)
  if (isTlsCode.test(code)) {
    return new OutboundError('tls_failed', `TLS failed: ${code}`, { cause: error })
  }
  const shown = /^E[A-Z]+$/.test(code) ? code : 'the connection failed'
  return new OutboundError('not_connected', `no connection: ${shown}`, { cause: error })
}

const isTlsCode =
  /^(?:ERR_SSL_\w+|ERR_TLS_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|EPROTO)$/
