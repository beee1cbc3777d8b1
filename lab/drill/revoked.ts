import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Caller, callerOf, type Reply } from '../../test/faults/http.ts'
import { basic, bearer, cookieOf, type ServiceNode } from '../../test/faults/node.ts'
import {
  forwardedHeaders,
  hostSessionOf,
  proxiedHosts,
  proxiedSettings,
  startNginx,
} from '../../tools/proxied.ts'
import type { Credentials, Person } from './credentials.ts'

/** A credential that is ended at one node and used at another one. */
export interface Ended {
  readonly what: string
  begin(node: ServiceNode): Promise<Begun>
}

export interface Begun {
  end(): Promise<Reply>
  /** Makes the account usable again. */
  restore?(): Promise<Reply>
  /** Whether a node accepts the credential. A 503 without a database is no acceptance. */
  isTakenAt(node: ServiceNode): Promise<boolean>
  /** Whether the other node, or a proxy that asks the other node, accepts the credential. */
  isTaken(): Promise<boolean>
}

const { wiki } = proxiedHosts

/** Every kind of end, of credentials that are used at a route of a node. */
export function credentialsAt(far: ServiceNode, made: Credentials): readonly Ended[] {
  const origin = `https://${wiki}`
  let turn = 0
  const next = () => {
    turn += 1
    const person = made.people[turn % made.people.length]
    if (!person) throw new Error('no account')
    return person
  }
  const account = ({ username }: Person) => `/api/admin/accounts/${username}`
  const used = (ask: (node: ServiceNode) => Promise<Reply>) => {
    const isTakenAt = async (node: ServiceNode) => (await ask(node)).status === 200
    return { isTakenAt, isTaken: () => isTakenAt(far) }
  }
  const at = (path: string, headers: Record<string, string>) =>
    used(({ caller }) => caller.call('GET', path, { headers }))
  const byAdmin = { headers: basic }
  return [
    {
      what: 'a token, by logout',
      async begin({ caller }) {
        const { headers } = await made.token(next())
        return { end: () => caller.call('POST', '/logout', { headers }), ...at('/api/me', headers) }
      },
    },
    {
      what: 'a token, by its id',
      async begin({ caller }) {
        const { headers, jti, exp } = await made.token(next())
        const json = { jti, exp }
        return {
          end: () => caller.call('POST', '/api/admin/tokens/revoke', { ...byAdmin, json }),
          ...at('/api/me', headers),
        }
      },
    },
    {
      what: 'a token, by a change of roles',
      async begin({ caller }) {
        const person = next()
        const { headers } = await made.token(person)
        const change = (roles: readonly string[]) =>
          caller.call('PUT', account(person), { ...byAdmin, json: { roles } })
        return {
          end: () => change(['EDITOR']),
          restore: () => change(['USER']),
          ...at('/api/me', headers),
        }
      },
    },
    {
      what: 'a key, by its revocation',
      async begin({ caller }) {
        const { headers, path } = await newKey(caller)
        return { end: () => caller.call('DELETE', path, byAdmin), ...at('/api/me', headers) }
      },
    },
    {
      what: 'a key, by a lock of its account',
      async begin({ caller }) {
        const { account: own, headers, path } = await newKey(caller)
        return {
          end: () => caller.call('PUT', own, { ...byAdmin, json: { locked: true } }),
          restore: () => caller.call('DELETE', path, byAdmin),
          ...at('/api/me', headers),
        }
      },
    },
    {
      what: 'a session, by logout',
      async begin({ caller }) {
        const { headers } = await made.session(next())
        return {
          end: () => caller.call('POST', '/logout', { headers }),
          ...at('/api/session', headers),
        }
      },
    },
    {
      what: 'a session, by a lock of its account',
      async begin({ caller }) {
        const person = next()
        const { headers } = await made.session(person)
        const change = (locked: boolean) =>
          caller.call('PUT', account(person), { ...byAdmin, json: { locked } })
        return {
          end: () => change(true),
          restore: () => change(false),
          ...at('/api/session', headers),
        }
      },
    },
    {
      what: 'a session of an application, by logout',
      async begin({ caller }) {
        const { id, headers } = await made.session(next())
        const own = await made.hostSession(id, origin)
        return {
          end: () => caller.call('POST', '/logout', { headers }),
          ...used((node) => askedAt(node.caller, own)),
        }
      },
    },
  ]
}

let programs = 0

/** A key of a service account of its own. */
async function newKey(caller: Caller) {
  programs += 1
  const username = `program-${programs}`
  const account = `/api/admin/accounts/${username}`
  const ask = async (path: string, json: object) => {
    const { status, body } = await caller.call('POST', path, { headers: basic, json })
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  await ask('/api/admin/accounts', { username, service: true, roles: ['USER'] })
  const made = await ask(`${account}/keys`, { name: username, scopes: ['account:read'] })
  return { account, path: `${account}/keys/${made.id}`, headers: bearer(String(made.key)) }
}

export interface ProxiedApplication {
  /** The session of its host, and a token, for requests to it. */
  readonly ended: readonly Ended[]
  close(): Promise<void>
}

/** The settings of nodes behind the proxy; the file of rules is written into the folder. */
export function settingsBehindProxy(folder: string): Record<string, string> {
  const file = join(folder, 'rules.json')
  writeFileSync(file, JSON.stringify({ rules: [{ hosts: [wiki], policy: 'one_factor' }] }))
  return { ...proxiedSettings, FORWARD_AUTH_FILE: file }
}

/** An application behind nginx, which asks a node about each request; null where nginx is not had. */
export async function startProxiedApplication(
  folder: string,
  asked: ServiceNode,
): Promise<ProxiedApplication | null> {
  let reached = 0
  const server = createServer((_request, response) => {
    reached += 1
    response.end('The wiki\n')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port: application } = server.address() as AddressInfo
  const gatehouse = Number(new URL(asked.service.url).port)
  const nginx = await startNginx(folder, { gatehouse, application })
  const caller = nginx && callerOf(nginx.url)
  const close = async () => {
    caller?.close()
    nginx?.child.kill()
    server.close()
    server.closeAllConnections()
  }
  if (!caller) {
    await close()
    return null
  }

  async function reaches(headers: Record<string, string>): Promise<boolean> {
    const before = reached
    await caller?.call('GET', '/page', { headers: { ...headers, host: wiki } })
    return reached > before
  }

  const used = (headers: Record<string, string>): Omit<Begun, 'end'> => ({
    isTaken: () => reaches(headers),
    isTakenAt: async (node) => (await askedAt(node.caller, headers)).status === 200,
  })
  const ended: readonly Ended[] = [
    {
      what: 'a session, at an application',
      async begin(node) {
        const login = await node.login('session')
        const cookie = cookieOf(login)
        const own = { cookie: await hostSessionOf(node.service.url, cookie, wiki) }
        const headers = { cookie, 'x-csrf-token': String(login.body.csrf_token) }
        return { end: () => node.caller.call('POST', '/logout', { headers }), ...used(own) }
      },
    },
    {
      what: 'a token, at an application',
      async begin(node) {
        const headers = bearer(await node.token())
        return { end: () => node.caller.call('POST', '/logout', { headers }), ...used(headers) }
      },
    },
  ]
  return { ended, close }
}

function askedAt(caller: Caller, headers: Record<string, string>): Promise<Reply> {
  return caller.call('GET', '/api/authz/forward', {
    headers: { ...forwardedHeaders(wiki, '/page'), ...headers },
  })
}

export function proofFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-proof-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
