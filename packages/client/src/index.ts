import { withCookies } from './cookies.ts'
import { bodyOf, GatehouseError } from './problem.ts'
import { requestTo, type Sent, type Service } from './service.ts'
import { sessionCredentials } from './session.ts'
import { memoryStore, type Store } from './stores.ts'
import { tokenCredentials } from './tokens.ts'
import type { Answer, DataOf, Given, Method, OperationOf, PathOf, SignIn } from './types.ts'

export { GatehouseError } from './problem.ts'
export { sharedStore } from './shared-store.ts'
export { memoryStore, type Store, type Tokens } from './stores.ts'
export type { Answer, CallOptions, DataOf, Method, PathOf, Schemas, SignIn } from './types.ts'

export interface ClientOptions {
  /** The address of Gatehouse, for example `https://auth.example.org`. */
  readonly url: string
  readonly mode: 'session' | 'token' | 'pair'
  /** Where the tokens are kept; in memory. */
  readonly store?: Store
  /** Origins of your own APIs, which `fetch` may call with the credential. */
  readonly apis?: readonly string[]
  /** How long an answer is waited for; 30 seconds. */
  readonly timeoutMs?: number
}

export interface Client {
  /** Calls an operation of the API. @throws GatehouseError for a refusal */
  call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...given: Given<OperationOf<M, P>>
  ): Promise<Answer<DataOf<OperationOf<M, P>>>>
  /** `fetch` with the credential, for Gatehouse and `apis`. @throws TypeError for another origin */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** @throws GatehouseError for a refusal: `second_factor` in its body asks for a code */
  signIn(credentials: SignIn): Promise<void>
  /** Forgets the credential and ends it. @throws GatehouseError if Gatehouse could not end it */
  signOut(): Promise<void>
  /** Whether there is a session, which is asked for, or a token in the store. */
  isSignedIn(): Promise<boolean>
}

/** A client for one person. */
export function createClient(options: ClientOptions): Client {
  const { apis = [], mode, store = memoryStore(), timeoutMs = 30_000 } = options
  const url = options.url.replace(/\/$/, '')
  const origins = new Set([url, ...apis].map((one) => new URL(one).origin))
  const plain: Service = {
    url,
    cookies: mode === 'session' ? 'include' : 'omit',
    fetch(request) {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)])
      return fetch(new Request(request, { signal }))
    },
  }
  const service = mode === 'session' ? withCookies(plain) : plain
  const credentials =
    mode === 'session' ? sessionCredentials(service) : tokenCredentials(service, store)

  async function send(request: Request): Promise<Response> {
    const again = request.clone()
    const sent = await credentials.sign(request)
    const response = await service.fetch(request)
    if (!(await credentials.renew(request, response, sent))) return response
    await response.body?.cancel()
    await credentials.sign(again)
    return service.fetch(again)
  }

  return {
    async call(method, path, ...[options = {}]) {
      const response = await send(requestTo(service, method, path, options as Sent))
      const data = await bodyOf(response)
      if (!response.ok) throw new GatehouseError(response, data)
      return { data: data as never, response } // typed by docs/openapi.json
    },
    async fetch(address, init = {}) {
      const to = new URL(address, `${url}/`)
      if (!origins.has(to.origin)) throw new TypeError(`${to.origin} is none of \`apis\``)
      return send(new Request(to, { credentials: service.cookies, redirect: 'manual', ...init }))
    },
    async signIn(given) {
      const request = requestTo(service, 'POST', '/login', { body: { ...given, mode } })
      const response = await service.fetch(request)
      const body = await bodyOf(response)
      if (!response.ok) throw new GatehouseError(response, body)
      await credentials.keep(body as Record<string, unknown>)
    },
    signOut: () => credentials.signOut(),
    isSignedIn: () => credentials.isSignedIn(),
  }
}
