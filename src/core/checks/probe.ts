import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { parseAddressRange } from '../addresses/address-ranges.ts'
import { isLoopback } from '../addresses/loopback.ts'
import { kindOfAddress } from '../outbound/address-kinds.ts'
import { guardedRequest, type OutboundOptions } from '../outbound/guarded-request.ts'
import { type Lookup, lookUpName } from '../outbound/lookup.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import { checkedUrl, hostOf, type OutboundRules } from '../outbound/target.ts'
import { CouldNotCheck } from './check.ts'

/** One host with its initial addresses. */
export interface Target {
  /** As the operator writes it. */
  readonly origin: string
  /** With the port of the connection. */
  readonly url: URL
  readonly addresses: readonly string[]
  readonly rules: OutboundRules
}

export interface TargetOptions {
  /** `address` or `address:port`, overrides DNS. */
  readonly connect?: { readonly address: string; readonly port: number | null }
  readonly lookup?: Lookup
}

const lookUpMs = 10_000

/**
 * Resolves the host once, against DNS rebinding. Private addresses of the named host are allowed;
 * metadata services and other hosts are rejected. @throws OutboundError
 */
export async function targetOf(
  given: string,
  { connect, lookup = lookUpName }: TargetOptions = {},
): Promise<Target> {
  const anything = { addresses: ['0.0.0.0/0', '::/0'].map(parseAddressRange) }
  const named = checkedUrl(given, { ...anything, allowsLoopback: true, allowsHttp: true })
  const url = new URL(named.origin)
  const host = hostOf(url)
  const addresses = connect
    ? [connect.address]
    : isIP(host) !== 0
      ? [host]
      : isLoopback(host)
        ? ['127.0.0.1', '::1']
        : await found(host, lookup)
  for (const address of addresses) {
    if (kindOfAddress(address) === 'metadata') {
      throw new OutboundError('address_refused', 'the host leads to a metadata service')
    }
  }
  if (connect?.port) url.port = String(connect.port)
  const rules = { addresses: addresses.map(parseAddressRange), allowsLoopback: false }
  const reachesItself = addresses.some((address) => kindOfAddress(address) === 'loopback')
  return {
    origin: named.origin,
    url,
    addresses,
    rules: { ...rules, allowsLoopback: reachesItself, allowsHttp: true },
  }
}

async function found(host: string, lookup: Lookup): Promise<readonly string[]> {
  const addresses = await lookup(host, AbortSignal.timeout(lookUpMs)).catch((): string[] => [])
  const usable = addresses.filter((address) => isIP(address) !== 0)
  if (usable.length > 0) return usable
  throw new OutboundError('name_not_found', 'the host name has no address')
}

export interface ProbeRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly target?: string
  readonly localAddress?: string
}

export interface Answer {
  readonly status: number
  /** One value per header line. */
  all(name: string): readonly string[]
  header(name: string): string
  readonly body: string
  /** Undefined if not JSON. */
  readonly json: unknown
  readonly address: string
  readonly localAddress: string
}

/** Follows no redirects, sends no secrets. @throws CouldNotCheck if the response is meaningless */
export interface Probe {
  readonly target: Target
  /** @throws OutboundError */
  send(path: string, sent?: ProbeRequest): Promise<Answer>
  /** A cached GET. */
  get(path: string): Promise<Answer>
}

const timeoutMs = 10_000
// Total time, against a slow server.
const allMs = 60_000
// Longer bodies are truncated.
const maxAnswerBytes = 65_536

export function createProbe(
  target: Target,
  { totalMs = allMs, ...options }: Partial<OutboundOptions> & { readonly totalMs?: number } = {},
): Probe {
  const { addresses, origin, rules, url } = target
  const answers = new Map<string, Promise<Answer>>()
  const untilMs = performance.now() + totalMs

  async function send(path: string, sent: ProbeRequest = {}): Promise<Answer> {
    const { method = 'GET', headers = {}, body, localAddress, target: line } = sent
    const left = untilMs - performance.now()
    if (left <= 0)
      throw new CouldNotCheck({
        en: 'the address has answered too slowly',
        de: 'die Adresse hat zu langsam geantwortet',
      })
    const answer = await guardedRequest(
      {
        url: new URL(path, url).href,
        method,
        headers: { host: new URL(origin).host, ...headers },
        ...(body !== undefined && { body }),
        ...(line !== undefined && { target: line }),
      },
      {
        timeoutMs: Math.ceil(Math.min(timeoutMs, left)),
        maxAnswerBytes,
        rules,
        lookup: async () => addresses,
        // Certificates are checked separately; no secret is sent.
        acceptsAnyCertificate: true,
        ...options,
        ...(localAddress !== undefined && { localAddress }),
      },
    )
    const { rawHeaders } = answer
    const all = (name: string) =>
      rawHeaders.filter(
        (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
      )
    const text = answer.body.toString('utf8')
    // The expected response is unknown.
    const isService = all('x-request-id').length > 0
    if (isService && answer.status === 429)
      throw new CouldNotCheck({
        en: 'RATE_LIMIT_MAX is reached',
        de: 'RATE_LIMIT_MAX ist erreicht',
      })
    if (isService && answer.status === 503)
      throw new CouldNotCheck({ en: 'the service is not ready', de: 'der Dienst ist nicht bereit' })
    return {
      status: answer.status,
      all,
      header: (name) => all(name)[0] ?? '',
      body: text,
      json: parsed(text),
      address: answer.address,
      localAddress: answer.localAddress,
    }
  }

  return {
    target,
    send,
    get(path) {
      const answer = answers.get(path) ?? send(path)
      answers.set(path, answer)
      return answer
    },
  }
}

/** http to another port; null if nothing answers. */
export async function directly(
  { target }: Probe,
  port: number,
  path: string,
): Promise<Answer | null> {
  const url = new URL(`http://${target.url.hostname}:${port}`)
  try {
    return await createProbe({ ...target, url, origin: url.origin }).get(path)
  } catch (error) {
    if (error instanceof OutboundError) return null
    throw error
  }
}

/** No firewall lies in between: an open port proves nothing. */
export function isThisMachine({ target }: Probe): boolean {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return target.addresses.some(
    (address) => isLoopback(address) || own.some((one) => one.address === address),
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
