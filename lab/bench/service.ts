import { mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { type Child, type Settings, startService } from './processes.ts'

/** A running service with a data directory of its own and a logged-in administrator. */
export interface Service extends Child {
  readonly directory: string
  readonly bearer: Readonly<Record<string, string>>
}

export const admin = { username: 'admin', password: 'the keeper of all benchmarks' }
const directories: string[] = []

process.on('exit', () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

export async function service(
  nodeOptions: readonly string[],
  directory: string = newDirectory(),
  settings: Settings = {},
): Promise<Service> {
  const child = await startService(
    {
      DATA_DIR: directory,
      ADMIN_USERNAME: admin.username,
      ADMIN_PASSWORD: admin.password,
      ...settings,
    },
    nodeOptions,
  )
  const { token } = await login(child.url, { ...admin, mode: 'token' })
  return { ...child, directory, bearer: { authorization: `Bearer ${token}` } }
}

export async function sessionCookie({ url }: Service): Promise<string> {
  const { cookie } = await login(url, { ...admin, mode: 'session' })
  return cookie
}

export async function createAccount({ url, bearer }: Service, username: string, password: string) {
  const response = await fetch(`${url}/api/admin/accounts`, {
    method: 'POST',
    headers: { ...bearer, 'content-type': 'application/json' },
    body: JSON.stringify({
      username,
      password,
      roles: ['USER'],
      name: username,
      email: 'someone@example.org',
    }),
  })
  if (response.status !== 201) throw new Error(`no account: ${await response.text()}`)
}

export function openDatabase(directory: string): DatabaseSync {
  return new DatabaseSync(join(directory, 'gatehouse.db'))
}

/** Sends a GET that must be answered with 200; answers the head and the unread body. */
export function open(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`${url}: ${response.statusCode}`))
    }).on('error', reject)
  })
}

export async function readText(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return text
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
  directories.push(directory)
  return directory
}

async function login(url: string, body: Readonly<Record<string, string>>) {
  const ask = () =>
    fetch(`${url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  let response = await ask()
  // The first administrator is created once the service listens, a moment after it is ready.
  for (let tries = 0; response.status === 401 && tries < 3; tries += 1) {
    await wait(1000)
    response = await ask()
  }
  if (response.status !== 200) throw new Error(`no login: ${await response.text()}`)
  const answer: unknown = await response.json()
  const token = answer && typeof answer === 'object' && 'token' in answer ? answer.token : ''
  const [cookie = ''] = (response.headers.getSetCookie()[0] ?? '').split(';', 1)
  return { token: String(token), cookie }
}
