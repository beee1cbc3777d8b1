import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { freePort } from '../../tools/free-port.ts'
import { startService } from '../../tools/service.ts'
import { assertAccessible, assertFits, launch, openPage } from '../browser/chromium.ts'
import { databaseSettings, leaveDatabase, placeSqliteFile, testDatabase } from '../database.ts'
import { fromBase32 } from '../factor.ts'
import { type ReceivedMail, startRelay } from '../relay.ts'
import { until } from '../until.ts'

/** The person who looks: the first administrator, or an account made by `account`. */
export interface Person {
  readonly username: string
  readonly password: string
}

export const admin: Person = { username: 'admin', password: 'a password for the console' }

/** A window of a person who is signed in. */
export interface Window {
  readonly page: Page
  readonly context: BrowserContext
  /** Opens an address of the service, and waits until its view is there. */
  open(path: string): Promise<void>
  /** Waits until nothing of the view is being read. */
  settled(): Promise<void>
  /** The heading of the view. */
  heading(): Promise<string>
  /** Asserts that nothing is wider than the window, nor than an open dialog. */
  assertFits(about: string): Promise<void>
  /**
   * Asserts that axe finds nothing and that nothing is wider than the window, at 360 and 1,440 px, in
   * light and dark. On PostgreSQL it only looks at the width: the page is the same.
   */
  assertSound(about: string): Promise<void>
  /** Ends the session on the server; the page and the browser do not know. */
  endSession(): Promise<void>
  /** Asserts that the browser complained of nothing, and closes the window. */
  close(): Promise<void>
}

export interface WorldOptions {
  /** Settings besides those of the tests; `url` is the address that the service will have. */
  env?(url: string): Record<string, string> | Promise<Record<string, string>>
}

const wide = { width: 1440, height: 900 }
const narrow = { width: 360, height: 740 }
// What the browser itself says of a refusal that a test asks for; the view says the rest.
const refusals = /^Failed to load resource: (the server responded with a status of|net::ERR)/

/**
 * The service as a process, on the database of `TEST_DATABASE`, with its mail server and a browser.
 * All of it ends after the tests of the suite.
 */
export async function startWorld({ env = () => ({}) }: WorldOptions = {}) {
  const [browser, relay] = await Promise.all([launch(), startRelay()])
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-console-'))
  const clockFile = join(directory, 'clock')
  await placeSqliteFile(directory)
  const preload = join(import.meta.dirname, '../browser/moved-clock.ts')
  const service = await startService(
    [process.execPath, '--import', preload, 'src/main.ts'],
    {
      ...(await databaseSettings(directory)),
      ...relay.env,
      ADMIN_PASSWORD: admin.password,
      BASE_URL: url,
      CLOCK_FILE: clockFile,
      LOG_LEVEL: 'info',
      MAIL_REQUESTS_PER_CLIENT: '0',
      PORT: String(port),
      LOGIN_TOKEN_SECONDS: '86400',
      WORKERS: '1',
      ...(await env(url)),
    },
    directory,
  )
  after(async () => {
    await service.stop()
    if (await leaveDatabase(directory)) rmSync(directory, { recursive: true, force: true })
    await browser.close()
  })
  let aheadMs = 0
  let read = 0
  let administrator: Record<string, string> | undefined

  const world = {
    browser,
    relay,
    service,
    url,

    /** Moves the clock of the service; that of the browser stays. */
    async later(seconds = 100): Promise<void> {
      aheadMs += seconds * 1000
      writeFileSync(clockFile, String(aheadMs))
      service.process.kill('SIGUSR2')
      await until(() => service.output().includes(`clock ${aheadMs}\n`))
    },

    /** What an authenticator app with this key shows. */
    codeOf(key: string): string {
      const now = Math.floor((Date.now() + aheadMs) / 1000 / stepSeconds)
      return codeOfStep(fromBase32(key.replaceAll(' ', '')), now)
    },

    /** The headers of a token of a person. */
    async bearer({ username, password }: Person): Promise<Record<string, string>> {
      const body = new URLSearchParams({ username, password, mode: 'token' })
      const answer = await fetch(`${url}/login`, { method: 'POST', body })
      assert.equal(answer.status, 200, await answer.clone().text())
      const { token } = (await answer.json()) as { token: string } // what the contract says
      return { authorization: `Bearer ${token}` }
    },

    /** Calls the API, as the first administrator if no other headers are given. */
    async api(method: string, path: string, json?: object, headers?: Record<string, string>) {
      administrator ??= await world.bearer(admin)
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(json && { 'content-type': 'application/json' }),
          ...(headers ?? administrator),
        },
        ...(json && { body: JSON.stringify(json) }),
      })
      const text = await response.text()
      assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      return isJson && text !== '' ? JSON.parse(text) : text
    },

    /** Makes an account; its password is that of `personOf`. */
    async account(
      username: string,
      roles: readonly string[] = ['USER'],
      more: object = {},
    ): Promise<Person> {
      const person = personOf(username)
      const email = `${username.replaceAll(/[^a-z0-9]/gi, '') || 'someone'}@example.org`
      const wanted = { name: username, email, roles, ...person, ...more }
      await world.api('POST', '/api/admin/accounts', wanted)
      return person
    },

    /** The next mail to an address, of those that no test has read. */
    async mailTo(address: string): Promise<ReceivedMail> {
      const isWanted = ({ to }: ReceivedMail) => to.includes(address)
      await until(() => relay.mails.slice(read).some(isWanted))
      read += relay.mails.slice(read).findIndex(isWanted) + 1
      return relay.mails[read - 1] ?? assert.fail()
    },

    /** A window of a person who has signed in; `person` null: of one who has not. */
    async window(
      person: Person | null = admin,
      options: BrowserContextOptions = {},
    ): Promise<Window> {
      const context = await browser.newContext({
        viewport: wide,
        locale: 'en-GB',
        reducedMotion: 'reduce',
        ...options,
      })
      if (person) await signIn(context, url, person)
      return windowOf(context, url)
    },
  }
  return world
}

export type World = Awaited<ReturnType<typeof startWorld>>

export function personOf(username: string): Person {
  return { username, password: `lantern ${[...username].reverse().join('')} quilt 42`.slice(0, 60) }
}

/** Signs in by the API, which sets the cookie of the session in all windows of the context. */
export async function signIn(context: BrowserContext, url: string, person: Person): Promise<void> {
  const form = { username: person.username, password: person.password, mode: 'session' }
  const answer = await context.request.post(`${url}/login`, { form })
  assert.equal(answer.status(), 200, await answer.text())
}

async function windowOf(context: BrowserContext, url: string): Promise<Window> {
  const { page, complaints } = await openPage(context)
  page.setDefaultTimeout(30_000) // for a machine that does much else

  async function settled(): Promise<void> {
    await page.locator('main h1').first().waitFor()
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' })
  }

  async function fits(about: string): Promise<void> {
    await assertFits(page, about)
    const over = await page.evaluate(
      `[...document.querySelectorAll('dialog[open]')].map((one) => one.scrollWidth - one.clientWidth)`,
    )
    assert.ok(Math.max(0, ...(over as number[])) === 0, `${about}: a dialog is wider: ${over}`)
  }

  return {
    page,
    context,
    settled,
    assertFits: fits,
    async open(path) {
      await page.goto(url + path)
      await settled()
    },
    heading: async () => (await page.locator('main h1').first().innerText()).trim(),
    async assertSound(about) {
      const before = page.viewportSize() ?? wide
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const size of [narrow, wide]) {
          await page.setViewportSize(size)
          const where = `${about}, ${size.width} px, ${colorScheme}`
          await fits(where)
          if (testDatabase === 'sqlite') await assertAccessible(page, where)
        }
      }
      await page.emulateMedia({ colorScheme: null })
      await page.setViewportSize(before)
    },
    async endSession() {
      const session = await context.request.get(`${url}/api/session`)
      const { csrf_token } = (await session.json()) as { csrf_token: string } // the contract says so
      const cookies = await context.cookies()
      await context.request.post(`${url}/logout`, { headers: { 'x-csrf-token': csrf_token } })
      await context.addCookies(cookies)
    },
    async close() {
      assert.deepEqual(
        complaints.filter((text) => !refusals.test(text)),
        [],
      )
      await context.close()
    },
  }
}
