import assert from 'node:assert/strict'
import { type Someone, type TestApp, testApp } from '../app.ts'
import { forwardFile } from '../forward-file.ts'
import { type ProxyProgram, proxyPrograms } from '../proxies.ts'
import { exchange } from '../raw-http.ts'
import { listingsOf } from '../use-it/listings.ts'
import { type Application, startApplication } from './application.ts'

/** The hosts of the listings, and a second application, which is another site for browsers. */
export const hosts = {
  gatehouse: 'auth.example.org',
  wiki: 'wiki.example.org',
  files: 'files.example.net',
} as const

/**
 * The listings of docs/forward-auth.md, with a second application as the document says: one more
 * server, or one more site.
 */
function forwardListings(): ReadonlyMap<string, string> {
  const listings = new Map(listingsOf('docs/forward-auth.md'))
  const [, server = ''] = /^(server \{\n[^}]*server_name wiki\..*?^\})/ms.exec(nginxText()) ?? []
  const [, site = ''] = /^(wiki\.example\.org \{\n.*?^\})/ms.exec(caddyText()) ?? []
  assert.ok(server !== '' && site !== '', 'the document shows an application')
  const second = (text: string) => text.replaceAll(hosts.wiki, hosts.files)
  listings.set(
    'nginx.conf',
    `${nginxText().replace(server, withOwnRefusals(server))}\n${second(server)}\n`,
  )
  listings.set('Caddyfile', `${caddyText()}\n${second(site)}\n`)
  return listings

  function nginxText(): string {
    return listings.get('nginx.conf') ?? ''
  }
  function caddyText(): string {
    return listings.get('Caddyfile') ?? ''
  }
}

/** A server of nginx with locations that nginx itself refuses: before the question, and after it. */
function withOwnRefusals(server: string): string {
  return server.replace(
    /\}$/,
    `  location /public/denied/ { deny all; proxy_pass http://127.0.0.1:8080; }
  location /public/folder/ { alias ${import.meta.dirname}/; }
  location /public/limited/ { limit_except GET { deny all; } proxy_pass http://127.0.0.1:8080; }
  location /page/folder/ { alias ${import.meta.dirname}/; }
  location /open/ { auth_request off; deny all; }
}`,
  )
}

/** Starts a proxy in front of Gatehouse and an application. */
export function startProxy(
  program: ProxyProgram,
  ports: { readonly gatehouse: number; readonly application: number },
): Promise<number> {
  return program.start(forwardListings(), {
    hosts: Object.values(hosts),
    places: {
      '127.0.0.1:3000': `127.0.0.1:${ports.gatehouse}`,
      '127.0.0.1:8080': `127.0.0.1:${ports.application}`,
    },
  })
}

export interface ProxyAnswer {
  readonly status: number
  /** By names in lower case; each Set-Cookie is in `setCookie`. */
  readonly headers: Readonly<Record<string, string>>
  readonly setCookie: readonly string[]
  readonly text: string
}

export interface Sent {
  readonly host?: string
  readonly headers?: Readonly<Record<string, string>> | readonly string[]
  readonly body?: string | Buffer
}

/** A client of a proxy that writes each byte itself: paths go as they stand. */
export function clientOf(port: number) {
  return async (line: string, { host = hosts.wiki, headers = {}, body = '' }: Sent = {}) => {
    const lines = Array.isArray(headers)
      ? headers
      : Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const length = body.length > 0 ? [`Content-Length: ${body.length}`] : []
    const own = [`Host: ${host}`, 'Connection: close', ...length]
    const head = `${line} HTTP/1.1\r\n${[...own, ...lines].join('\r\n')}\r\n\r\n`
    const { text } = await exchange(
      port,
      Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]),
      {
        tls: host,
      },
    )
    return parseAnswer(text)
  }
}

export type ProxyClient = ReturnType<typeof clientOf>

/** The headers of a browser that goes to an address. */
export const navigation = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'none',
} as const

function parseAnswer(text: string): ProxyAnswer {
  const end = text.indexOf('\r\n\r\n')
  assert.ok(end > 0, `no answer: ${JSON.stringify(text)}`)
  const [status = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers: Record<string, string> = {}
  const setCookie: string[] = []
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? []
    if (name.toLowerCase() === 'set-cookie') setCookie.push(value)
    else headers[name.toLowerCase()] = value
  }
  const body = text.slice(end + 4)
  return {
    status: Number(status.split(' ')[1]),
    headers,
    setCookie,
    text: headers['transfer-encoding'] === 'chunked' ? unchunked(body) : body,
  }
}

/** RFC 9112 section 7.1. */
function unchunked(body: string): string {
  const [, size = '0'] = /^([0-9a-f]+)\r\n/i.exec(body) ?? []
  const length = Number.parseInt(size, 16)
  if (length === 0) return ''
  const begin = size.length + 2
  return body.slice(begin, begin + length) + unchunked(body.slice(begin + length + 2))
}

/** The cookies of a browser, by host: those with these prefixes never go to another one. */
export function jarOf(client: ProxyClient) {
  const jars = new Map<string, Map<string, string>>()
  const jarAt = (host: string) => {
    const jar = jars.get(host) ?? new Map<string, string>()
    jars.set(host, jar)
    return jar
  }
  /** Opens one address, without its redirects. */
  async function open(address: string, headers: Readonly<Record<string, string>> = {}) {
    const { host, pathname, search } = new URL(address)
    const cookie = [...jarAt(host)].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await client(`GET ${pathname}${search}`, {
      host,
      headers: { ...navigation, ...(cookie && { cookie }), ...headers },
    })
    for (const line of answer.setCookie) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jarAt(host).delete(name)
      else jarAt(host).set(name, value)
    }
    return answer
  }
  /** Opens an address and follows its redirects; answers where it ends, and all addresses. */
  async function follow(address: string) {
    const seen = [address]
    let answer = await open(address)
    while (answer.headers.location !== undefined && seen.length < 10) {
      const next = new URL(answer.headers.location, seen.at(-1)).href
      seen.push(next)
      answer = await open(next)
    }
    return { answer, seen }
  }
  return { jarAt, open, follow }
}

export interface ProxiedWorld {
  readonly app: TestApp
  readonly application: Application
  readonly ann: Someone
  readonly programs: readonly ProxyProgram[]
  readonly ports: { readonly gatehouse: number; readonly application: number }
}

/** Gatehouse with the rules of these tests, and an application; proxies are started in front. */
export async function proxiedWorld(rules: readonly object[]): Promise<ProxiedWorld> {
  const application = await startApplication()
  const app = await testApp({
    TRUST_PROXY: '127.0.0.1',
    BASE_URL: `https://${hosts.gatehouse}`,
    FORWARD_AUTH_FILE: forwardFile(rules),
    ROLES: 'CLERK',
  })
  const { port } = await app.listen()
  const ann = await app.account('ann', ['USER'], { roles: ['USER', 'EDITOR'] })
  return {
    app,
    application,
    ann,
    programs: proxyPrograms,
    ports: { gatehouse: port, application: application.port },
  }
}
