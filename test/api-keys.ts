import type { Role } from '../src/core/policy/principal.ts'
import type { Headers, Someone, TestApp } from './app.ts'

export interface Program {
  readonly who: Someone
  /** The proof of its key. */
  readonly headers: Headers
  readonly key: string
  readonly id: string
}

/** Creates a service account with one key. */
export async function serviceAccount(
  app: TestApp,
  username: string,
  scopes: readonly string[],
  roles: readonly Role[] = ['USER'],
): Promise<Program> {
  const json = { username, service: true, roles }
  const headers = app.basic(app.admin)
  const { status, body, text } = await app.call('POST', '/api/admin/accounts', { headers, json })
  if (status !== 201) throw new Error(`no service account: ${status} ${text}`)
  const who = { userId: body.user_id, username: body.username, password: '' }
  return { who, ...(await newKey(app, username, { name: 'test', scopes })) }
}

export async function newKey(app: TestApp, username: string, json: object) {
  const path = `/api/admin/accounts/${username}/keys`
  const { status, body, text } = await app.call('POST', path, {
    headers: app.basic(app.admin),
    json,
  })
  if (status !== 201) throw new Error(`no key: ${status} ${text}`)
  return { key: body.key, id: body.id, headers: bearerOf(body.key) }
}

export function bearerOf(key: string): Headers {
  return { authorization: `Bearer ${key}` }
}
