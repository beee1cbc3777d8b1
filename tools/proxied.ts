import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { listingsOf, missing, programOf } from '../test/use-it/listings.ts'
import { freePort } from './free-port.ts'
import { writeNginx } from './nginx.ts'

/** The hosts of docs/forward-auth.md, and one whose requests nginx passes on without a question. */
export const proxiedHosts = {
  gatehouse: 'auth.example.org',
  wiki: 'wiki.example.org',
  unprotected: 'unprotected.example.org',
} as const

/** The settings of a service behind the proxy. */
export const proxiedSettings = {
  BASE_URL: `https://${proxiedHosts.gatehouse}`,
  TRUST_PROXY: '127.0.0.1',
}

/** What a proxy tells of a GET for an application, as request headers. */
export function forwardedHeaders(host: string, uri: string): Readonly<Record<string, string>> {
  return {
    'x-forwarded-host': host,
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': uri,
    'x-forwarded-method': 'GET',
    'x-forwarded-for': '203.0.113.7',
  }
}

export interface Nginx {
  readonly child: ChildProcess
  /** 127.0.0.1 without TLS: the application is named by the Host header. */
  readonly url: string
}

export interface ProxiedPorts {
  readonly gatehouse: number
  readonly application: number
}

const startMs = 20_000
const pollMs = 20

/**
 * Starts nginx with the listings of docs/forward-auth.md in a folder, as one process; null where it is
 * not had. What differs from the listings: no TLS, as behind a balancer that ends it, and kept
 * connections to the application. The caller ends it.
 */
export async function startNginx(folder: string, ports: ProxiedPorts): Promise<Nginx | null> {
  const nginx = programOf('nginx')
  if (missing([nginx, '-v'])) return null
  const port = await freePort()
  const place = (text: string) =>
    text
      .replaceAll('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
      .replaceAll(/^ *ssl_certificate.*\n/gm, '')
      .replaceAll('$scheme', 'https')
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.gatehouse}`)
      .replaceAll('127.0.0.1:8080', 'application')
  const listings = new Map(listingsOf('docs/forward-auth.md'))
  const more = unprotectedServer(port, ports.application)
  listings.set('nginx.conf', `${listings.get('nginx.conf')}\n${more}`)
  const file = writeNginx(folder, listings, place)
  const child = spawn(nginx, ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://127.0.0.1:${port}`
  for (let waitedMs = 0; waitedMs < startMs; waitedMs += pollMs) {
    if (child.exitCode !== null) break
    if (await fetch(url).catch(() => null)) return { child, url }
    await wait(pollMs)
  }
  child.kill()
  throw new Error('nginx did not start')
}

/** nginx would close each connection of a client after 1,000 requests. */
function unprotectedServer(port: number, application: number): string {
  return `keepalive_requests 10000000;
    upstream application { server 127.0.0.1:${application}; keepalive 64; }
    server {
      listen 127.0.0.1:${port};
      server_name ${proxiedHosts.unprotected};
      proxy_http_version 1.1;
      proxy_set_header Host $server_name;
      proxy_set_header Connection "";
      location / { proxy_pass http://application; }
    }`
}

/**
 * Hands a session over to the host of an application, as a browser would by its redirects; answers
 * the cookie of that host, as a request sends it.
 */
export async function hostSessionOf(
  url: string,
  sessionCookie: string,
  host: string,
): Promise<string> {
  const browser = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    return_to: `https://${host}/`,
    browser: createHash('sha256').update(browser).digest('base64url'),
  })
  const led = await follow(`${url}/signin/application?${query}`, { cookie: sessionCookie })
  const { pathname, search } = new URL(led.headers.get('location') ?? '', url)
  const entered = await follow(url + pathname + search, {
    ...forwardedHeaders(host, pathname + search),
    cookie: `__Host-gatehouse-browser=${browser}`,
  })
  const cookies = entered.headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? '')
  const own = cookies.find((cookie) => cookie.startsWith('__Host-gatehouse='))
  if (own === undefined) throw new Error(`no session at ${host}: ${entered.status}`)
  return own
}

function follow(url: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(url, { headers, redirect: 'manual' })
}
