import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from './app.ts'
import { type Config, loadConfig } from './core/config/load.ts'
import { systemRandom } from './core/crypto/random.ts'
import { connect } from './core/database/connect.ts'
import { systemClock } from './core/lib/clock.ts'
import { createMeasurements } from './core/measurements/measurements.ts'
import { settingsOfModules } from './core/module/settings.ts'
import { generatedPassword } from './core/password-strength/generated-password.ts'
import { systemCode } from './core/reason.ts'
import { createLog } from './core/runtime/deps.ts'
import { eventsOf } from './core/runtime/sinks.ts'
import { soleProcess } from './core/workers/workers.ts'
import { modules } from './modules.ts'
import type { TestService, TestServiceOptions } from './testing.ts'

/**
 * Settings that a test cannot give: the service is on loopback, in this process, its data in a
 * temporary folder.
 */
const fixedSettings = new Set([
  'HOST',
  'PORT',
  'BASE_URL',
  'DATA_DIR',
  'DATABASE_URL',
  'DATABASE_URL_FILE',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'HTTP_REDIRECT_PORT',
  'WORKERS',
])
const attempts = 5

/** Folders of running services. They are removed at exit if a test does not stop its service. */
const folders = new Set<string>()
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** The implementation of `startForTests`. */
export async function startTestService({
  settings = {},
}: TestServiceOptions): Promise<TestService> {
  for (const name of Object.keys(settings)) {
    if (fixedSettings.has(name)) throw new Error(`startForTests sets ${name} itself`)
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await started(settings, await freePort())
    } catch (error) {
      // Another process can take the port in between.
      if (systemCode(error) !== 'EADDRINUSE' || attempt === attempts) throw error
    }
  }
}

async function started(
  settings: Readonly<Record<string, string>>,
  port: number,
): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  folders.add(folder)
  const remove = () => {
    rmSync(folder, { recursive: true, force: true })
    folders.delete(folder)
  }
  try {
    const password = settings.ADMIN_PASSWORD || generatedPassword(systemRandom, 20)
    const config = withCheapHashes(
      loadConfig(
        {
          NODE_ENV: 'test',
          LOG_LEVEL: 'silent',
          ...settings,
          ADMIN_PASSWORD: password,
          PORT: String(port),
          DATA_DIR: folder,
        },
        await settingsOfModules(modules),
      ),
    )
    const close = await serve(config)
    let stopped: Promise<void> | undefined
    return {
      baseUrl: config.baseUrl,
      admin: { username: config.admin.username, password },
      stop: () => {
        stopped ??= close().finally(remove)
        return stopped
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** Starts the service; answers the function that stops it. */
async function serve(config: Config): Promise<() => Promise<void>> {
  const log = createLog(config.logLevel)
  const measurements = createMeasurements()
  const deps = {
    config,
    ...connect({ ...config.database, synchronous: 'off', measurements: measurements.database }),
    clock: systemClock,
    random: systemRandom,
    log,
    events: eventsOf({ config, clock: systemClock, log, measurements }),
    measurements,
    workers: soleProcess,
    fetch: globalThis.fetch,
  }
  const { server, makeFirstAdministrator } = await buildApp(deps)
  const close = async () => void (await server.close())
  try {
    await server.listen({ host: config.http.host, port: config.http.port })
    await makeFirstAdministrator?.()
    return close
  } catch (error) {
    await close()
    throw error
  }
}

/** Argon2id below the limits of the settings, which no installation gets. */
function withCheapHashes(config: Config): Config {
  return { ...config, password: { ...config.password, argon2MemoryKib: 64, argon2Passes: 1 } }
}

/** The `iss` of tokens holds the port, so it is known before the service listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  await new Promise((resolve) => server.close(resolve))
  return port
}
