import { extname } from 'node:path'
import { needed, refusalOf } from './cli/prepare.ts'

/** Options of `startForTests`. */
export interface TestServiceOptions {
  /**
   * Settings of the service, by their names in docs/configuration.md. Not those that say where it
   * listens and where its data is.
   */
  readonly settings?: Readonly<Record<string, string>>
}

/** A service for tests. */
export interface TestService {
  /** The address of the service, which is also the `iss` of its tokens: `http://127.0.0.1:<port>`. */
  readonly baseUrl: string
  /** The first administrator, with all roles. */
  readonly admin: { readonly username: string; readonly password: string }
  /** Stops the service and removes its files. A second call waits for the first. */
  stop(): Promise<void>
}

interface Implementation {
  startTestService(options: TestServiceOptions): Promise<TestService>
}

const service = new URL(`./test-service${extname(import.meta.url)}`, import.meta.url)

/**
 * Starts the real service in this process, for tests of programs that use it: on a free port of
 * 127.0.0.1, on a SQLite file of its own, without a log. Environment variables take no part. Password
 * hashes are cheap, which is possible here alone. Several can run at once.
 * @throws Error if Node is too old, or a setting is not accepted
 */
export async function startForTests(options: TestServiceOptions = {}): Promise<TestService> {
  // On an older Node the imports of the service fail, and do not say why.
  const reason = refusalOf(process.versions.node, needed())
  if (reason !== undefined) throw new Error(reason)
  // By URL, so that the types of this file, which the package has, need none of the service.
  const { startTestService } = (await import(service.href)) as Implementation
  return startTestService(options)
}
