import { Agent, request } from 'node:http'
import { measured, type Target } from '../load.ts'
import type { Contender } from '../turns.ts'

/** How an application asks for tokens. */
export interface TokenEndpoint extends Target {
  readonly path: string
  readonly authorization: string
  readonly redirectUri: string
  /** Makes codes as a sign-in does; its time does not count. */
  codes(count: number): Promise<readonly string[]>
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

const chains = 8
const codesOfTurn = 200
const agent = new Agent({ keepAlive: true, maxSockets: chains })

/** Uses codes, each once. */
export function codeUses(name: string, endpoint: TokenEndpoint, isPeer = false): Contender {
  return {
    name,
    isPeer,
    async run() {
      const codes = [...(await endpoint.codes(codesOfTurn))]
      return measured(endpoint, () =>
        inChains(async () => {
          const code = codes.pop()
          if (code === undefined) return false
          await redeem(endpoint, code)
          return true
        }),
      )
    },
  }
}

/** Refreshes in chains: each refresh token is that of the answer before. */
export async function refreshes(
  name: string,
  endpoint: TokenEndpoint,
  isPeer = false,
): Promise<Contender> {
  const codes = await endpoint.codes(chains)
  const tokens = await Promise.all(
    codes.map(async (code) => (await redeem(endpoint, code)).refresh_token),
  )
  return {
    name,
    isPeer,
    run: (seconds) => {
      const endsAt = performance.now() + seconds * 1000
      return measured(endpoint, () =>
        inChains(async (chain) => {
          const refresh_token = tokens[chain] ?? ''
          const next = await ask(endpoint, { grant_type: 'refresh_token', refresh_token })
          tokens[chain] = next.refresh_token
          return performance.now() < endsAt
        }),
      )
    },
  }
}

export function redeem(endpoint: TokenEndpoint, code: string): Promise<Tokens> {
  const { redirectUri: redirect_uri } = endpoint
  return ask(endpoint, { grant_type: 'authorization_code', code, redirect_uri })
}

/** Repeats work in some chains at once, until it answers false. */
async function inChains(work: (chain: number) => Promise<boolean>) {
  const startedAt = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: chains }, async (_, chain) => {
      while (await work(chain)) count += 1
    }),
  )
  return { count, seconds: (performance.now() - startedAt) / 1000 }
}

async function ask(endpoint: TokenEndpoint, form: Record<string, string>): Promise<Tokens> {
  const { authorization, path, url } = endpoint
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const { status, text } = await send(new URL(path, url), {
    ...{ method: 'POST', headers, body: new URLSearchParams(form).toString() },
  })
  if (status !== 200) throw new Error(`${url}: ${status} ${text}`)
  return JSON.parse(text) as Tokens // RFC 6749 section 5.1
}

export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Got {
  readonly status: number
  readonly text: string
  readonly location: string
  readonly cookies: readonly string[]
}

/** Sends a request on a connection that stays; follows no redirect. */
export function send(url: URL, { method = 'GET', headers = {}, body = '' }: Sent): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>()
  const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
  request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    response.on('end', () =>
      resolve({
        ...{ status: response.statusCode ?? 0, text },
        location: response.headers.location ?? '',
        cookies: response.headers['set-cookie'] ?? [],
      }),
    )
  })
    .on('error', reject)
    .end(body)
  return promise
}
