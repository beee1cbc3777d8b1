import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { freePort } from '../../tools/free-port.ts'
import { startService } from '../../tools/service.ts'
import { fromBase32 } from '../factor.ts'
import { identityProvider, settingsFor } from '../identity-provider.ts'
import { type ReceivedMail, startRelay } from '../relay.ts'
import { until } from '../until.ts'
import { launch } from './chromium.ts'

const adminPassword = 'a password for browsers'

/** What a mail says to its reader. */
export interface ReadMail {
  readonly subject: string
  readonly text: string
  readonly link: string
  readonly code: string
}

/**
 * What the journeys share: the service as a process, its mail server, an application that sends
 * people to it, a provider, and a browser. The application is another site.
 */
export async function startWorld() {
  const relay = await startRelay()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const provider = await identityProvider(url)
  const application = createServer(({ url: path }, response) => {
    response.setHeader('content-type', 'text/html')
    const link = `${url}/signin?return_to=${encodeURIComponent(`${application_()}/back?x=1`)}`
    response.end(
      `<!doctype html><html lang="en"><title>App</title><main><h1>${path}</h1><a href="${link}">in</a></main>`,
    )
  }).listen(0, '127.0.0.1')
  await once(application, 'listening')
  const application_ = () => `http://localhost:${(application.address() as AddressInfo).port}` // it listens on a port
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-clock-'))
  const clockFile = join(folder, 'clock')
  const preload = join(import.meta.dirname, 'moved-clock.ts')
  const service = await startService([process.execPath, '--import', preload, 'src/main.ts'], {
    ...relay.env,
    ...settingsFor(provider),
    OIDC_AUDIENCE: '',
    ADMIN_PASSWORD: adminPassword,
    BASE_URL: url,
    CLOCK_FILE: clockFile,
    LOG_LEVEL: 'info',
    LOGIN_PROOF_OF_WORK_AFTER: '2',
    MAIL_REQUESTS_PER_CLIENT: '0',
    PORT: String(port),
    LOGIN_TOKEN_SECONDS: '86400',
    REQUIRE_SECOND_FACTOR: 'CLERK',
    REDIRECT_ORIGINS: application_(),
    ROLES: 'CLERK',
    EMAIL_SIGN_IN: 'on',
    SIGN_UP: 'open',
    WORKERS: '1',
  })
  const browser = await launch()
  after(async () => {
    await browser.close()
    application.close()
    application.closeAllConnections()
    await service.stop()
    service.remove()
    rmSync(folder, { recursive: true })
  })
  let aheadMs = 0
  let read = 0
  const login = { username: 'admin', password: adminPassword, mode: 'token' }
  const { token: administrator } = (await (
    await fetch(`${url}/login`, { method: 'POST', body: new URLSearchParams(login) })
  ).json()) as { token: string } // what the contract says

  const world = {
    application: application_(),
    browser,
    provider,
    service,
    url,

    /** Moves the clock of the service, by more than a code of an app lives. */
    async later(seconds = 100): Promise<void> {
      aheadMs += seconds * 1000
      writeFileSync(clockFile, String(aheadMs))
      // The provider says when a person has signed in by the same clock.
      provider.clock = { now: () => Date.now() + aheadMs }
      service.process.kill('SIGUSR2')
      await until(() => service.output().includes(`clock ${aheadMs}\n`))
    },

    /** What an authenticator app with this key shows. */
    codeOf(key: string): string {
      const now = Math.floor((Date.now() + aheadMs) / 1000 / stepSeconds)
      return codeOfStep(fromBase32(key.replaceAll(' ', '')), now)
    },

    /** The next mail with a link to an address, of those that no test has read. */
    async mailTo(address: string): Promise<ReadMail> {
      const isWanted = ({ to, message }: ReceivedMail) =>
        to.includes(address) && message.text?.includes('token=')
      await until(() => relay.mails.slice(read).some(isWanted))
      read += relay.mails.slice(read).findIndex(isWanted) + 1
      const { message } = relay.mails[read - 1] ?? assert.fail()
      const text = message.text ?? ''
      const [link = ''] = /https?:\/\/\S+token=\S+/.exec(text) ?? []
      const [, first = '', second = ''] = /\b(\d{4}) ?(\d{4})\b/.exec(text) ?? []
      return { subject: message.subject ?? '', text, link, code: first + second }
    },

    /** Calls the API, as the first administrator if no other headers are given. */
    async api(method: string, path: string, json?: object, headers?: Record<string, string>) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(json && { 'content-type': 'application/json' }),
          ...(headers ?? { authorization: `Bearer ${administrator}` }),
        },
        ...(json && { body: JSON.stringify(json) }),
      })
      const text = await response.text()
      assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
      return text === '' ? null : JSON.parse(text)
    },

    /** Makes an account with a verified address, which an invitation has proved. */
    async account(username: string, roles: readonly string[] = ['USER']) {
      const person = personOf(username)
      const { email, password } = person
      await world.api('POST', '/api/admin/invitations', { email, roles })
      const { link } = await world.mailTo(email)
      const token = new URL(link).searchParams.get('token')
      await world.api(
        'POST',
        '/api/public/invitation',
        { token, username, name: username, password },
        {},
      )
      return person
    },

    /** Turns on the second factor; answers the key, and its recovery codes. */
    async enrol({ username, password }: Person): Promise<{ key: string; codes: string[] }> {
      const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
      const { secret } = await world.api('POST', '/api/account/totp', undefined, { authorization })
      const totp = world.codeOf(secret)
      const confirmed = await world.api('PUT', '/api/account/totp', { totp }, { authorization })
      await world.later()
      return { key: secret, codes: confirmed.recovery_codes }
    },
  }
  return world
}

export type World = Awaited<ReturnType<typeof startWorld>>

export interface Person {
  readonly username: string
  readonly email: string
  readonly password: string
}

export function personOf(username: string): Person {
  return {
    username,
    email: `${username}@example.org`,
    password: `lantern ${[...username].reverse().join('')} quilt 42`,
  }
}
