import assert from 'node:assert/strict'
import { digest } from '../src/core/crypto/digest.ts'
import type { Needs, Services } from '../src/core/module/services.ts'
import { modules as ours } from '../src/modules.ts'
import { type Answer, type Someone, type TestApp, type TestOptions, testApp } from './app.ts'
import { forwardFile } from './forward-file.ts'
import { type PageBrowser, pageBrowser } from './page-browser.ts'

/** The hosts of applications that the rules of these tests name. */
export const wiki = 'https://wiki.example.org'
export const files = 'https://files.example.org'

/** Rules that name them, and the host of the service. */
export const rulesOfHosts = [
  { hosts: ['wiki.example.org', 'files.example.org', 'id.example.org'], policy: 'one_factor' },
]

export interface HostsApp extends TestApp {
  readonly services: Services
}

/** Starts the service behind a proxy, which asks it for hosts of applications. */
export async function hostsApp(
  env: Record<string, string> = {},
  options: TestOptions = {},
): Promise<HostsApp> {
  let wired: Needs | undefined
  const spy = {
    name: 'spy',
    routes: async () => ({
      async routes(_app: unknown, needs: Needs) {
        wired = needs
      },
    }),
  }
  const settings = {
    TRUST_PROXY: '127.0.0.1',
    BASE_URL: 'https://id.example.org',
    FORWARD_AUTH_FILE: forwardFile(rulesOfHosts),
    ...env,
  }
  const app = await testApp(settings, { modules: [...ours, spy], ...options })
  if (!wired) throw new Error('no service')
  return Object.assign(app, { services: wired })
}

/** The cookie of a browser at a host of an application, by which a ticket is bound to it. */
export function hostBrowser(name = 'browser') {
  const cookie = digest(name)
  return { cookie, digest: digest(cookie), header: `__Host-gatehouse-browser=${cookie}` }
}

/** The address to which the forward authentication of an application sends a browser. */
export function signInPath(
  returnTo: string,
  { digest: browser }: { readonly digest: string },
  more: Record<string, string> = {},
): string {
  return `/signin?${new URLSearchParams({ return_to: returnTo, browser, ...more })}`
}

/** Opens what a redirect of the service leads to at the host of an application, through its proxy. */
export async function enter(
  app: TestApp,
  address: string,
  browser: { readonly header: string } | null,
): Promise<Answer> {
  const url = new URL(address)
  return app.call('GET', `${url.pathname}${url.search}`, {
    headers: {
      accept: 'text/html',
      'accept-language': 'en',
      'x-forwarded-host': url.host,
      'x-forwarded-proto': url.protocol.slice(0, -1),
      ...(browser && { cookie: browser.header }),
    },
  })
}

/** The cookie of a session at a host that an answer sets. */
export function hostCookie({ cookies }: Answer): string {
  const secret = cookies['__Host-gatehouse']
  assert.ok(secret, 'no session at the host')
  return secret
}

/** A person in a browser, signed in; the ways to the hosts of applications. */
export async function atHosts(app: HostsApp, someone: Someone, name?: string) {
  const browser = hostBrowser(name)
  const pages = pageBrowser(app)
  await pages.open('/signin')
  await pages.submit({ username: someone.username, password: someone.password })
  return ways(app, pages, browser)
}

export function ways(app: HostsApp, pages: PageBrowser, browser: ReturnType<typeof hostBrowser>) {
  const them = {
    pages,
    browser,
    /** The address with a ticket to which a visit of the application leads. */
    async ticketFor(returnTo: string): Promise<string> {
      await pages.open(signInPath(returnTo, browser))
      const address = pages.elsewhere() ?? ''
      assert.match(address, /\/\.gatehouse\/enter\?ticket=[\w-]{43}$/)
      return address
    },
    /** The value of the cookie that the host gets. */
    async sessionAt(origin: string): Promise<string> {
      return hostCookie(await enter(app, await them.ticketFor(`${origin}/`), browser))
    },
    /** The headers of the session at the service. */
    headers: (): Record<string, string> => {
      const { cookieName } = app.deps.config.session
      return { cookie: `${cookieName}=${pages.cookies.get(cookieName)}` }
    },
  }
  return them
}

/** The username of a session at a host; null without one. */
export async function whoIs(
  { services }: HostsApp,
  secret: string,
  origin: string,
): Promise<string | null> {
  const session = await services.hostSessions.resume(secret, origin)
  return 'ended' in session ? null : session.stored.username
}
