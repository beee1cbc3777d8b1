import { hash } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digest } from '../src/core/crypto/digest.ts'
import { afterwards } from './afterwards.ts'
import type { Answer, Headers, TestApp } from './app.ts'

/** A client as CLIENTS_FILE has it. */
export interface ClientEntry {
  readonly id: string
  readonly [field: string]: unknown
}

/** The secret of a test's client, or another one of it; as `client add` makes them. */
export function secretOf(id: string, number = 1): string {
  return digest(`secret ${number} of the client ${id}`)
}

/** The hash of a secret as CLIENTS_FILE has it. */
export function hashOf(secret: string): string {
  return `sha256:${hash('sha256', secret, 'hex')}`
}

/** An entry of a client that may do everything with tokens of the service. */
export function entry(id: string, more: object = {}): ClientEntry {
  const rights = { audiences: ['api'], may: ['introspect', 'revoke'] }
  return { id, secret_hash: hashOf(secretOf(id)), ...rights, ...more }
}

/** Where the application of a test gets its codes. */
export const callback = 'https://notes.example.org/callback'
/** Where it sends people after a sign-out. */
export const bye = 'https://notes.example.org/bye'

/** An entry of an application that signs people in. */
export function application(id: string, more: object = {}): ClientEntry {
  const { secret_hash } = entry(id)
  return { id, secret_hash, type: 'web', name: 'Notes', redirect_uris: [callback], ...more }
}

/** An entry of an application on devices without a browser. */
export function deviceApplication(id: string, more: object = {}): ClientEntry {
  const { secret_hash } = entry(id)
  return { id, secret_hash, type: 'device', name: 'Television', ...more }
}

/** A file of clients with a given content, in a folder of its own. */
export function clientsFile(clients: readonly unknown[] | string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  afterwards(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'clients.json')
  writeClients(path, clients)
  return path
}

/** Replaces the file as a whole, as `client add` does. */
export function writeClients(path: string, clients: readonly unknown[] | string): void {
  const text = typeof clients === 'string' ? clients : JSON.stringify({ clients })
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** The Authorization header of a client. */
export function asClient(id: string, secret: string = secretOf(id)): Headers {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

export interface ClientCall {
  readonly headers?: Headers
  readonly from?: string
}

/** Calls POST /oauth/introspect or /oauth/revoke; as the client `shop` unless headers are given. */
export function ask(
  app: TestApp,
  path: 'introspect' | 'revoke',
  token: string,
  { headers = asClient('shop'), from }: ClientCall = {},
): Promise<Answer> {
  const call = { headers, form: { token }, ...(from !== undefined && { from }) }
  return app.call('POST', `/oauth/${path}`, call)
}
