import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../src/core/lib/clock.ts'
import type { DoctorReport } from '../../src/extras/doctor/schemas.ts'
import { type TestApp, type TestOptions, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { fixedClock } from '../clock.ts'
import { testDatabase } from '../database.ts'
import { proxyPrograms } from '../proxies.ts'
import { type Certificate, certificate } from '../self-signed.ts'
import { listingsOf } from '../use-it/listings.ts'

export const host = 'auth.example.org'

/** What an operator sets for a service behind a proxy on the same machine. */
export const production = {
  NODE_ENV: 'production',
  BASE_URL: `https://${host}`,
  TRUST_PROXY: '127.0.0.1',
}

/** A service that runs, with the settings that a command on it needs. */
export interface Deployment {
  readonly app: TestApp
  readonly port: number
  readonly env: Readonly<Record<string, string>>
  /** A file of a folder that is removed with the service. */
  file(name: string, text: string): string
}

export async function deployment(
  env: Readonly<Record<string, string>>,
  options: TestOptions = {},
  wantedPort = 0,
): Promise<Deployment> {
  // Certificates and answers have the time of the machine.
  const clock = fixedClock(new Date().toISOString())
  const app = await testApp(env, { clock, ...options })
  // The schema of the tests was made long ago.
  await app.deps.db.updateTable('schema_version').set({ applied_at: clock.now() }).execute()
  await app.app.server.listen({ host: '127.0.0.1', port: wantedPort })
  const port = Number(new URL(app.app.server.listeningOrigin).port)
  return {
    app,
    port,
    env,
    file(name, text) {
      const path = join(app.directory, name)
      writeFileSync(path, text, { mode: 0o600 })
      return path
    },
  }
}

export interface Examined {
  readonly code: number
  readonly report: DoctorReport
  readonly stdout: string
  readonly stderr: string
  /** The findings as `level check`, without advice. */
  readonly found: readonly string[]
}

/** Runs `gatehouse doctor` on a deployment, with its settings unless others are given. */
export async function examined(
  { app, env }: Pick<Deployment, 'app' | 'env'>,
  words: string,
  other: Readonly<Record<string, string>> = {},
): Promise<Examined> {
  const write = app.app.jobs.find(({ name }) => name === 'refusals')
  assert.ok(write)
  // Jobs of the test do not run by themselves: a short wait of the command lets the service write.
  const clock: Clock = {
    now: () => Date.now(),
    wait: async (ms, signal) =>
      ms > 1000 ? systemClock.wait(ms, signal) : void (await write.run()),
  }
  const settings = { TOKEN_ALGORITHM: 'HS256', ...env, ...other }
  // That of the tests loses what it has committed, to be quick.
  const left = testDatabase === 'postgres' ? '--except postgresql_durability' : ''
  const line = `doctor ${words} ${left} --json`
  const ran = await gatehouse(app.directory, line, { env: settings, clock })
  assert.notEqual(ran.stdout, '', ran.stderr)
  const report: DoctorReport = JSON.parse(ran.stdout)
  const found = report.findings
    .filter(({ level }) => level !== 'info')
    .map(({ check, level }) => `${level} ${check}`)
  return { ...ran, report, found }
}

export interface ProxiedOptions {
  /** Changes the listing of docs/use-it.md. */
  readonly change?: (listing: string) => string
  readonly certificate?: Certificate
}

/** Starts a proxy of docs/use-it.md in front of a deployment; answers the words for doctor. */
export async function proxied(
  { port, file }: Pick<Deployment, 'file' | 'port'>,
  name: 'nginx' | 'Caddy',
  { change = (text) => text, certificate: given }: ProxiedOptions = {},
): Promise<string> {
  const program = proxyPrograms.find((one) => one.name === name)
  assert.ok(program)
  const shown = given ?? certificate({ commonName: host, hosts: [host], isAuthority: true })
  const listings = new Map(
    [...listingsOf('docs/use-it.md')].map(([key, text]) => [
      key,
      key === 'nginx.conf' || key === 'Caddyfile' ? change(text) : text,
    ]),
  )
  const places = { '127.0.0.1:3000': `127.0.0.1:${port}` }
  const own = await program.start(listings, { hosts: [host], places, certificate: shown })
  return `--connect 127.0.0.1:${own} --ca ${file('authority.pem', shown.cert)}`
}

/** Why the proxy cannot run here; false if it can. */
export function missingProxy(name: 'nginx' | 'Caddy'): string | false {
  return proxyPrograms.find((one) => one.name === name)?.missing ?? 'unknown'
}

/** The findings of the inside of a deployment: as `examined` names them, and with all that they say. */
export async function findings(own: Deployment, env: Readonly<Record<string, string>> = {}) {
  const { found, report } = await examined(own, '--inside', env)
  return { found, all: report.findings }
}
