import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import type { Answer, TestApp } from '../app.ts'
import { application, asClient, callback } from '../clients.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'
import { authorize, code_verifier, open, signIn } from '../provider/pages.ts'
import { type RestartableCluster, startCluster } from './cluster.ts'
import type { Caller, Reply, Sent } from './http.ts'
import { admin, type NodeOptions, type ServiceNode, startNode } from './node.ts'
import type { DatabaseName } from './workers.ts'

/** The settings of a service at which `notes` signs people in without asking them. */
export function providerSettings(more: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-fault-'))
  const CLIENTS_FILE = join(folder, 'clients.json')
  const clients = [application('notes', { consent: 'none', ...more })]
  writeFileSync(CLIENTS_FILE, JSON.stringify({ clients }), { mode: 0o600 })
  return {
    env: { CLIENTS_FILE, PROVIDER: 'on' },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A service with the application `notes`, and what its database has. */
export interface ProviderNode extends ServiceNode {
  /** Of SQLite alone: undefined. */
  readonly cluster: RestartableCluster | undefined
  /** At the process that runs. */
  readonly call: Caller['call']
  /** For the next start. */
  readonly settings: Record<string, string>
  count(query: string): Promise<number>
}

export async function startProviderNode(
  database: DatabaseName,
  { env = {}, ...options }: NodeOptions = {},
): Promise<ProviderNode> {
  const settings = providerSettings()
  const cluster = database === 'postgres' ? await startCluster() : undefined
  const name = (await cluster?.createDatabase()) ?? ''
  const url = cluster ? { DATABASE_URL: cluster.url(name) } : {}
  const all: Record<string, string> = { ...settings.env, ...url, ...env }
  const node = await startNode({ ...options, env: all })
  return {
    ...node,
    cluster,
    settings: all,
    call: (...sent) => node.caller.call(...sent),
    get service() {
      return node.service
    },
    get caller() {
      return node.caller
    },

    async count(query) {
      const text = `select count(*) as count from ${query}`
      if (cluster) return Number((await cluster.query<{ count: number }>(name, text))[0]?.count)
      const file = new DatabaseSync(join(node.directory, databaseFileName), { timeout: 10_000 })
      try {
        return Number(file.prepare(text).get()?.count)
      } finally {
        file.close()
      }
    },

    async remove() {
      await node.remove()
      await cluster?.remove()
      settings.remove()
    },
  }
}

type Call = Caller['call']

/** A browser without scripts at a real service, in which the administrator has signed in. */
export async function signedInBrowser(call: Call): Promise<PageBrowser> {
  const app = { call: async (...sent: Parameters<Call>) => answerOf(await call(...sent)) }
  const browser = pageBrowser(app as unknown as TestApp) // it only calls
  await browser.open('/signin')
  await browser.submit(admin)
  return browser
}

/** What `notes` sends for a new code. */
export async function newCode(browser: PageBrowser): Promise<Record<string, string>> {
  const at = (await open(browser, authorize)) ?? (await signIn(browser, admin as never))
  const code = new URL(at ?? '').searchParams.get('code') ?? ''
  return { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier }
}

export const refreshWith = (refresh_token: string) => ({
  ...{ grant_type: 'refresh_token', refresh_token },
})

/** Asks for tokens; `dieAt`: the step at which the service is gone. */
export function tokensFor(
  call: Call,
  form: Record<string, string>,
  dieAt?: number,
): Promise<Reply> {
  const dying = dieAt === undefined ? {} : { 'x-die-at': String(dieAt) }
  const headers = { ...asClient('notes'), ...dying } as Record<string, string>
  return call('POST', '/oauth/token', { headers, form } satisfies Sent)
}

/** 200: the token lives. */
export async function userinfoStatus(call: Call, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await call('GET', '/oauth/userinfo', { headers })).status
}

/** A reply over a socket as the answer of an injected request. */
export function answerOf({ body, headers, status }: Reply): Answer {
  const cookies = [headers['set-cookie'] ?? []].flat().map((line) => {
    const [pair = ''] = line.split(';', 1)
    const at = pair.indexOf('=')
    return [pair.slice(0, at), pair.slice(at + 1)] as const
  })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, headers, body, text, cookies: Object.fromEntries(cookies) } as Answer
}
