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

/** Where the requests of the outside checks go: one host, at the addresses it had at the beginning. */
export interface Target {
  /** The origin as people write it. */
  readonly origin: string
  /** The same with the port that is connected to. */
  readonly url: URL
  readonly addresses: readonly string[]
  readonly rules: OutboundRules
}

export interface TargetOptions {
  /** `address` or `address:port` to connect to in place of what the name leads to. */
  readonly connect?: { readonly address: string; readonly port: number | null }
  readonly lookup?: Lookup
}

const lookUpMs = 10_000

/**
 * Looks the host up, once for all requests: a name that leads elsewhere later gains nothing. The
 * addresses of the host that the operator has named may be private; those of metadata services are
 * refused, and so is every other host. @throws OutboundError
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
  /** See `OutboundRequest.target`. */
  readonly target?: string
  readonly localAddress?: string
}

export interface Answer {
  readonly status: number
  /** All values of a header, one for each line that was sent. */
  all(name: string): readonly string[]
  /** The first value, or the empty text. */
  header(name: string): string
  readonly body: string
  /** The body as JSON; undefined if it is none. */
  readonly json: unknown
  readonly address: string
  readonly localAddress: string
}

/**
 * Sends requests to one target. No redirect is followed, and no secret is sent. Both throw CouldNotCheck
 * where the answer would tell nothing.
 */
export interface Probe {
  readonly target: Target
  /** @throws OutboundError */
  send(path: string, sent?: ProbeRequest): Promise<Answer>
  /** The same for a plain GET, which is sent once however often it is asked for. */
  get(path: string): Promise<Answer>
}

const timeoutMs = 10_000
// For all requests of a probe: an address that answers each of them slowly ends as well.
const allMs = 60_000
// A page, or the beginning of one.
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
    if (left <= 0) throw new CouldNotCheck('the address has answered too slowly')
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
        // What a certificate lacks is the finding of a check; no secret goes over the connection.
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
    // What it would answer otherwise is not known.
    const isService = all('x-request-id').length > 0
    if (isService && answer.status === 429) throw new CouldNotCheck('RATE_LIMIT_MAX is reached')
    if (isService && answer.status === 503) throw new CouldNotCheck('the service is not ready')
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

/** A request to another port of the same host, over http; null if nothing answers. */
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

/** No firewall is between a machine and itself, so that an open port proves nothing. */
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
