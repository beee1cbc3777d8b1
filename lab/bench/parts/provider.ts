import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../tools/free-port.ts'
import { loadOf } from '../load.ts'
import { startPeer } from '../processes.ts'
import type { Figure } from '../report/figure.ts'
import type { Service } from '../service.ts'
import { linesOf, type Plan, takeTurns } from '../turns.ts'
import { password, seeded, temporaryFolder, usernames } from './seeded.ts'
import { codeUses, redeem, refreshes, send, type TokenEndpoint } from './token-requests.ts'

const about = `Token requests of an application that signs people in here (\`PROVIDER=on\`), beside oidc-provider alone with an
adapter of 20 lines that keeps its tokens in SQLite and is as durable: each change is on the disk before the answer
(\`synchronous=FULL\`). Both rotate refresh tokens and sign ID tokens with RS256. This service asks for grant, session and account
at each use, seals what it stores, and records its event. Eight chains refresh at once, each with the refresh token of its last
answer; 200 codes a turn are used by eight at once. Introspection is \`POST /oauth/introspect\`: of an opaque token of an application,
and of a token of this service.`

const secretOf = (id: string) => `a secret of the benchmark for ${id}, 0123456789`
const redirectUri = 'https://app.example.org/callback'
const issuer = 'https://bench.example.org'
const basicOf = (id: string) => `Basic ${btoa(`${id}:${encodeURIComponent(secretOf(id))}`)}`

export async function provider(plan: Plan): Promise<Figure> {
  const data = await seeded(plan, 'SQLite', 1000)
  const file = join(data.store.directory, 'clients.json')
  writeFileSync(file, JSON.stringify({ clients: entries() }), { mode: 0o600 })
  const service = await data.start({ CLIENTS_FILE: file, PROVIDER: 'on', BASE_URL: issuer })
  const here = await ours(service)
  const port = await freePort()
  const peer = await startPeer('peers/durable-provider.ts', {
    ...{ port, redirectUri, file: join(temporaryFolder(), 'provider.db') },
    client: { client_id: 'app', client_secret: secretOf('app') },
  })
  const there: TokenEndpoint = {
    ...{ url: peer.url, pid: peer.pid, path: '/token', authorization: basicOf('app'), redirectUri },
    codes: async (count) => JSON.parse((await send(new URL(`/codes/${count}`, peer.url), {})).text),
  }
  const [code = ''] = await here.codes(1)
  const { access_token } = await redeem(here, code)
  const introspection = (name: string, token: string) =>
    loadOf(name, service, {
      requests: [
        {
          ...{ method: 'POST', path: '/oauth/introspect', body: `token=${token}` },
          headers: {
            authorization: basicOf('bench'),
            'content-type': 'application/x-www-form-urlencoded',
          },
        },
      ],
    })
  const own = service.bearer.authorization?.replace('Bearer ', '') ?? ''
  const contenders = [
    await refreshes(names.refresh, here),
    await refreshes(names.bareRefresh, there, true),
    codeUses(names.code, here),
    codeUses(names.bareCode, there, true),
    introspection(names.introspection, access_token),
    introspection(names.ownIntrospection, own),
  ]
  const { samples, about: taken } = await takeTurns(plan, contenders, names.bareRefresh)
  for (const each of [service, peer]) await each.stop()
  await data.close()
  return {
    name: 'provider',
    title: 'Applications that sign people in',
    about,
    unit: 'requests/s',
    lines: linesOf(contenders, samples, {
      [names.refresh]: [{ to: names.bareRefresh, atLeast: 2 }],
      [names.code]: [{ to: names.bareCode, atLeast: 1.5 }],
      [names.introspection]: [{ to: names.ownIntrospection, atLeast: 0.8 }],
    }),
    ...taken,
  }
}

const names = {
  refresh: 'this service: refresh',
  bareRefresh: 'oidc-provider on SQLite: refresh',
  code: 'this service: code',
  bareCode: 'oidc-provider on SQLite: code',
  introspection: 'this service: introspection, application',
  ownIntrospection: 'this service: introspection, own token',
}

function entries(): readonly object[] {
  const named = (id: string) => ({
    id,
    secret_hash: `sha256:${hash('sha256', secretOf(id), 'hex')}`,
  })
  const app = { ...named('app'), type: 'web', name: 'App', redirect_uris: [redirectUri] }
  return [
    { ...named('bench'), audiences: ['api', 'app'], may: ['introspect'] },
    { ...app, consent: 'none', pkce: 'optional' },
  ]
}

/** The service, with a browser in which a person is signed in. */
async function ours({ pid, url }: Service): Promise<TokenEndpoint> {
  const query = { client_id: 'app', response_type: 'code', redirect_uri: redirectUri }
  const start = `/oauth/authorize?${new URLSearchParams({ ...query, scope: 'openid' })}`
  const jar = new Map<string, string>()

  async function open(path: string, method = 'GET', body = '') {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const got = await send(new URL(path, url), {
      ...{ method, body },
      headers: {
        ...{ cookie, accept: 'text/html', 'sec-fetch-site': 'none' },
        ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
    })
    for (const line of got.cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return got
  }

  async function code(): Promise<string> {
    let path = start
    for (let steps = 0; steps < 8; steps += 1) {
      const { location, status, text } = await open(path)
      const next = location || /content="0; ?url=([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
      if (next === undefined) throw new Error(`no code: ${status} ${text.slice(0, 500)}`)
      if (next.startsWith(redirectUri)) return new URL(next).searchParams.get('code') ?? ''
      path = next
    }
    throw new Error(`no code: it goes round in circles at ${path}`)
  }

  const login = { username: usernames[0] ?? '', password, mode: 'session' }
  await open('/login', 'POST', new URLSearchParams(login).toString())
  return {
    ...{ url, pid, path: '/oauth/token', authorization: basicOf('app'), redirectUri },
    async codes(count) {
      const codes: string[] = []
      while (codes.length < count) codes.push(await code())
      return codes
    },
  }
}
