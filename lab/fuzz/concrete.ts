import { headersFor, type Principal } from './credentials.ts'
import { changed, type Described, type DescribedBody, type Value } from './described.ts'
import type { FuzzedOperation } from './operations.ts'
import type { FuzzedService } from './service.ts'
import type { Concrete } from './twists.ts'
import { filled, type Place, type World } from './world.ts'

export interface Ready {
  readonly request: Concrete
  readonly principal: Principal | undefined
  readonly isInjected: boolean
}

export async function concrete(
  described: Described,
  operation: FuzzedOperation,
  world: World,
  { client }: FuzzedService,
): Promise<Ready> {
  const { caller, method } = described
  const principal = caller === 'anonymous' ? undefined : await world.credentials.of(caller)
  const place: Place = { request: described, principal }
  const path = pathOf(described, world, place)
  const query = queryOf(described, world, place)
  const target = query === '' ? path : `${path}?${query}`
  const body = described.body && bodyBytes(described, described.body, world, place)
  const isUnsafe = !/^(GET|HEAD|OPTIONS|TRACE)$/.test(method)
  const headers: [string, string][] = [
    ['Host', 'localhost'],
    ['Connection', 'close'],
    ...(principal && !operation.schemes.includes('client')
      ? headersFor(principal, schemeFor(described, operation), isUnsafe)
      : []),
    ...(principal && operation.schemes.includes('client') ? [clientHeader(client)] : []),
    ...described.headers.map(([name, value]): [string, string] => [
      name,
      textOf(filled(value, world, { ...place, target: path })),
    ]),
    // The last address names the proxy's client; few come often.
    ['X-Forwarded-For', `198.18.${described.from >> 8}.${described.from & 255}`],
  ]
  if (body !== null) {
    const isNamed = described.headers.some(([name]) => /^content-type$/i.test(name))
    if (!isNamed) headers.push(['Content-Type', described.body?.mediaType ?? ''])
    headers.push(['Content-Length', String(body.length)])
  } else if (isUnsafe) headers.push(['Content-Length', '0'])
  const request = { method, target, headers, body }
  return {
    request,
    principal,
    isInjected: described.isInjected && canBeInjected(request, described),
  }
}

/** A caller has the credentials of all schemes, and an operation may take one of them alone. */
function schemeFor({ scheme }: Described, { schemes }: FuzzedOperation) {
  const [first] = schemes
  return schemes.length === 1 && (first === 'session' || first === 'bearer') ? first : scheme
}

function clientHeader({ id, secret }: FuzzedService['client']): [string, string] {
  return ['Authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`]
}

function pathOf(
  { path, params, method, isEncoded }: Described,
  world: World,
  place: Place,
): string {
  const parts = path.split('/')
  const made = parts.map((part, at) => {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
    if (name === undefined) return part
    const segment = parts[at - 1] ?? ''
    const within = { ...place, segment, name }
    let text = textOf(filled(params[name], world, within))
    // What an administrator may do to the first one would end the chunk: its tests do that.
    // What was learned of it may name it as well.
    const others = Array.from({ length: 8 }, (_, pick) => ({ slot: 'param', pick }) as const)
    while (method !== 'GET' && world.isKeeper(text)) {
      const other = others.shift()
      text = other ? textOf(world.fill(other, within)) : 'none'
    }
    return isEncoded ? encoded(text) : text
  })
  return made.join('/')
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function queryOf({ query, isEncoded }: Described, world: World, place: Place): string {
  const pairs = query.map(([name, value]) => [name, textOf(filled(value, world, place))] as const)
  const code = (text: string) => (isEncoded ? encoded(text) : text)
  return pairs.map(([name, value]) => `${code(name)}=${code(value)}`).join('&')
}

function bodyBytes(described: Described, body: DescribedBody, world: World, place: Place): Buffer {
  const { mediaType, text, bytes } = body
  if (bytes !== undefined) return Buffer.from(bytes, 'base64')
  if (text !== undefined) return Buffer.from(text)
  const value = filled(changed(body.value, described.changes), world, place)
  if (mediaType.startsWith('application/x-www-form-urlencoded')) return Buffer.from(formOf(value))
  if (mediaType.endsWith('ndjson') && Array.isArray(value)) {
    return Buffer.from(value.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }
  return Buffer.from(JSON.stringify(value) ?? '')
}

function formOf(value: Value): string {
  if (typeof value !== 'object' || value === null) return textOf(value)
  const pairs = Object.entries(value).flatMap(([name, part]) =>
    [part].flat().map((one) => [name, one] as const),
  )
  return pairs.map(([name, one]) => `${encoded(name)}=${encoded(textOf(one))}`).join('&')
}

function textOf(value: Value): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'object'
      ? (JSON.stringify(value) ?? '')
      : String(value)
}

/** What a client of Node could send; what is stranger goes over a socket. */
function canBeInjected({ target, headers }: Concrete, { twist }: Described): boolean {
  const names = headers.map(([name]) => name.toLowerCase())
  return (
    twist === 'plain' &&
    /^[\x21-\x7e]+$/.test(target) &&
    !target.startsWith('//') &&
    new Set(names).size === names.length &&
    !names.some((name) => /^(transfer-encoding|expect|upgrade|__proto__)$/.test(name)) &&
    headers.every(([name, value]) => /^[\w-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value))
  )
}
