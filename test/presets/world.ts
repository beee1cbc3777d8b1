import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { digest } from '../../src/core/crypto/digest.ts'
import type { Json } from '../forge.ts'

export interface Asked {
  readonly method: string
  readonly headers: IncomingMessage['headers']
  readonly query: URLSearchParams
  readonly form: URLSearchParams
}

export type Reply = (
  asked: Asked,
  response: ServerResponse,
) => { status?: number; json?: unknown; form?: Json } | undefined

export interface Grant {
  readonly parameters: Readonly<Record<string, string>>
  /** Whom the token that the code is exchanged for belongs to. */
  readonly person: Json
}

/** A provider of the world, as its documentation describes it. */
export interface Site {
  /** The hosts with its paths. */
  readonly paths: Readonly<Record<string, Reply>>
}

export interface World {
  /** Takes requests to the hosts of the sites to this machine. */
  readonly fetch: typeof fetch
  /** Answers by host and path, in place of those of the sites. */
  readonly instead: Map<string, Reply>
  /** Host and path of the requests so far. */
  readonly asked: string[]
  readonly requests: Asked[]
  /** As the provider does after a person has agreed. */
  grant(address: string, person: Json): string
  /** Null for an unknown or used code, or a wrong verifier. */
  take(form: URLSearchParams): Grant | null
  tokenOf(person: Json): string
  personOf(asked: Asked): Json | null
  add(site: Site): void
}

/** Serves the hosts of providers from a port of this machine, over real HTTP. */
export async function world(): Promise<World> {
  const paths = new Map<string, Reply>()
  const instead = new Map<string, Reply>()
  const asked: string[] = []
  const requests: Asked[] = []
  const grants = new Map<string, Grant>()
  const tokens = new Map<string, Json>()
  let made = 0
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  after(() => {
    server.close()
    server.closeAllConnections()
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://localhost')
    const path = url.pathname.slice(1)
    const { method = '', headers } = request
    const form = new URLSearchParams(await text(request))
    const one: Asked = { method, headers, query: url.searchParams, form }
    asked.push(path)
    requests.push(one)
    const reply = instead.get(path) ?? paths.get(path)
    const answered = reply ? reply(one, response) : { status: 404, json: { message: 'Not Found' } }
    if (!answered) return // it has answered by itself
    const { status = 200, json, form: fields } = answered
    const type = fields ? 'application/x-www-form-urlencoded' : 'application/json; charset=utf-8'
    response.writeHead(status, { 'content-type': type })
    const pairs = Object.entries(fields ?? {}).map(([name, value]) => [name, String(value)])
    response.end(fields ? new URLSearchParams(pairs).toString() : JSON.stringify(json))
  }

  return {
    instead,
    asked,
    requests,
    fetch(address, init) {
      const { host, pathname, search } = new URL(String(address))
      return fetch(`http://127.0.0.1:${port}/${host}${pathname}${search}`, init)
    },
    grant(address, person) {
      const code = `code-${++made}`
      grants.set(code, { parameters: Object.fromEntries(new URL(address).searchParams), person })
      return code
    },
    take(form) {
      const code = form.get('code') ?? ''
      const grant = grants.get(code)
      grants.delete(code)
      if (!grant) return null
      const { client_id, code_challenge, redirect_uri } = grant.parameters
      const isSame =
        client_id === form.get('client_id') && redirect_uri === form.get('redirect_uri')
      const verifier = form.get('code_verifier')
      const isProven = (verifier === null ? undefined : digest(verifier)) === code_challenge
      return isSame && isProven ? grant : null
    },
    tokenOf(person) {
      const token = `token-${++made}`
      tokens.set(token, person)
      return token
    },
    personOf: ({ headers }) => {
      const [, token = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? []
      return tokens.get(token) ?? null
    },
    add: (site) => {
      for (const [path, reply] of Object.entries(site.paths)) paths.set(path, reply)
    },
  }
}
