import { randomInt } from 'node:crypto'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { asClient } from '../../test/clients.ts'
import { fromBase32 } from '../../test/factor.ts'
import type { Reply } from '../../test/faults/http.ts'
import { admin, basicOf, bearer, cookieOf } from '../../test/faults/node.ts'
import { forwardedHeaders, proxiedHosts } from '../../tools/proxied.ts'
import { signInAtApplication } from './application.ts'
import type { MailServer } from './outside.ts'
import type { Traffic, Wanted } from './traffic.ts'

export interface World {
  readonly traffic: Traffic
  readonly mail: MailServer
  /** Of the administrator; a new login every five minutes. */
  asAdmin(): Promise<Record<string, string>>
}

export interface Person {
  readonly username: string
  readonly email: string
  /** The network address. */
  readonly from: string
  readonly userId: number
  password: string
}

const mailPatienceMs = 900_000 // an outage, and the retries after it
const wrong = 'wrong melons sail north, 1888'
const adminLoginMs = 300_000
let made = 0

export function administratorOf(traffic: Traffic): World['asAdmin'] {
  let [since, login] = [Number.NEGATIVE_INFINITY, Promise.resolve({})]
  return () => {
    if (performance.now() > since + adminLoginMs) {
      since = performance.now()
      const form = { ...admin, mode: 'token' }
      login = traffic
        .ask({ kind: 'login', method: 'POST', path: '/login', status: 200, form })
        .then(({ body }) => bearer(body.token))
      login.catch(() => {
        since = Number.NEGATIVE_INFINITY
      })
    }
    return login
  }
}

/** Makes an account: by an administrator, or by the person with a mailed link. */
export async function newPerson(world: World, isMailed: boolean): Promise<Person> {
  const { traffic, mail } = world
  made += 1
  const name = `soak${made.toString(36)}x${randomInt(1e9).toString(36)}`
  const email = `${name}@example.org`
  const from = `198.18.${randomInt(256)}.${randomInt(256)}`
  const chosen = { username: name, name: 'A person of the soak', password: newPassword() }
  const begin = { method: 'POST', from } as const
  let reply: Reply
  if (isMailed) {
    const token = mail.token(email, mailPatienceMs)
    token.catch(() => {}) // the request may fail before
    const path = '/api/public/sign-up'
    await traffic.ask({ ...begin, kind: 'mail', path, status: 202, json: { email } })
    const json = { token: await token, ...chosen }
    const complete = `${path}/complete`
    reply = await traffic.ask({ ...begin, kind: 'account', path: complete, status: 201, json })
  } else {
    const json = { ...chosen, email, roles: ['USER', 'EDITOR'] }
    const [headers, path] = [await world.asAdmin(), '/api/admin/accounts']
    reply = await traffic.ask({ kind: 'account', method: 'POST', path, status: 201, headers, json })
  }
  const { username, password } = chosen
  return { username, password, email, from, userId: reply.body.user_id }
}

/** Removes the user by an administrator, who tries again; the person may be gone already. */
export async function removePerson(
  { traffic, asAdmin }: World,
  { userId }: Pick<Person, 'userId'>,
): Promise<void> {
  const path = `/users/${userId}`
  for (let tries = 1; ; tries += 1) {
    try {
      const [headers, status] = [await asAdmin(), [200, 404]]
      await traffic.ask({ kind: 'account', method: 'DELETE', path, status, headers })
      return
    } catch (error) {
      if (tries === maxRemovals) throw error // each failed try is noted
    }
  }
}

const maxRemovals = 10

const newPassword = () => `quiet melons sail north, ${randomInt(1e9)}`

/** What a person does. Each throws if an answer is not the expected one. */
export function visitsOf(world: World, person: Person) {
  const { traffic, mail } = world
  const { username, from } = person
  const ask = (kind: Wanted['kind'], line: string, status: number, sent: Partial<Wanted> = {}) => {
    const [method = '', path = ''] = line.split(' ')
    return traffic.ask({ kind, method, path, status, from, ...sent })
  }
  const logIn = (mode: string, status = 200, more: Record<string, string> = {}) => {
    const form = { username, password: person.password, mode, ...more }
    return ask('login', 'POST /login', status, { form })
  }

  async function session(more: Record<string, string> = {}) {
    const login = await logIn('session', 200, more)
    return { cookie: cookieOf(login), 'x-csrf-token': String(login.body.csrf_token) }
  }

  return {
    async wrongLogin() {
      await logIn('session', 401, { password: wrong })
    },

    /** A session with changes of it; `isEnded`: by logout, otherwise it expires. */
    async session(isEnded: boolean) {
      const headers = await session()
      await ask('read', 'GET /api/session', 200, { headers })
      await ask('read', 'GET /api/account', 200, { headers })
      await ask('write', 'POST /api/transfer', 200, { headers, json: {} })
      await ask('read', 'GET /api/account/sessions', 200, { headers })
      if (isEnded) await ask('login', 'POST /logout', 200, { headers })
    },

    async pair() {
      let { access_token, refresh_token } = (await logIn('pair')).body
      for (let round = 0; round < 3; round += 1) {
        const headers = bearer(access_token)
        await ask('read', 'GET /api/me', 200, { headers })
        await ask('forward', 'GET /api/authz/forward', 200, {
          headers: { ...forwardedHeaders(proxiedHosts.wiki, '/page'), ...headers },
        })
        const form = { refresh_token }
        const refreshed = await ask('refresh', 'POST /refresh', 200, { form })
        ;({ access_token, refresh_token } = refreshed.body)
      }
      const token = access_token
      const shop = { headers: asClient('shop'), form: { token } }
      await ask('application', 'POST /oauth/introspect', 200, shop)
      const ended = { headers: bearer(token), form: { refresh_token } }
      await ask('login', 'POST /logout', 200, ended)
      await ask('read', 'GET /api/me', 401, { headers: bearer(token) })
    },

    async posts() {
      const headers = bearer((await logIn('token')).body.token)
      const json = { title: 'A post of the soak', body: 'Text. '.repeat(50) }
      const { id } = (await ask('write', 'POST /api/posts', 201, { headers, json })).body
      await ask('read', `GET /api/posts/${id}`, 200, { headers })
      const changed = { headers, json: { title: 'Another title' } }
      await ask('write', `PUT /api/posts/${id}`, 200, changed)
      await ask('write', `DELETE /api/posts/${id}`, 200, { headers })
    },

    /** Afterwards the account has a second factor. */
    async secondFactor() {
      const headers = await session()
      const proof = { current_password: person.password }
      const path = '/api/account/totp'
      const begun = await ask('account', `POST ${path}`, 201, { headers, json: proof })
      const codeIn = (steps: number) =>
        codeOfStep(
          fromBase32(begun.body.secret),
          Math.floor(Date.now() / 1000 / stepSeconds) + steps,
        )
      await ask('account', `PUT ${path}`, 200, { headers, json: { totp: codeIn(0) } })
      await logIn('session', 401)
      const login = await session({ totp: codeIn(1) }) // a code is accepted once
      await ask('login', 'POST /logout', 200, { headers: login })
    },

    async appPassword() {
      const headers = await session()
      const path = '/api/account/keys'
      const json = {
        ...{ name: 'calendar', scopes: ['users:read'], current_password: person.password },
      }
      const { id, key } = (await ask('account', `POST ${path}`, 201, { headers, json })).body
      const own = basicOf({ username, password: key })
      await ask('read', `GET /users/${person.userId}`, 200, { headers: own })
      await ask('forward', 'GET /api/authz/forward', 200, {
        headers: { ...forwardedHeaders(proxiedHosts.wiki, '/page'), ...own },
      })
      await ask('account', `DELETE ${path}/${id}`, 200, { headers })
      await ask('login', 'POST /logout', 200, { headers })
    },

    /** Signs in at an application, which refreshes its tokens and ends them. */
    async application() {
      let tokens = await signInAtApplication(traffic, person)
      const headers = asClient('notes')
      for (let round = 0; round < 2; round += 1) {
        const own = bearer(tokens.access_token)
        await ask('application', 'GET /oauth/userinfo', 200, { headers: own })
        const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
        tokens = (await ask('application', 'POST /oauth/token', 200, { headers, form })).body
      }
      const form = { token: tokens.refresh_token }
      await ask('application', 'POST /oauth/revoke', 200, { headers, form })
    },

    /** For an account with a verified address. */
    async reset() {
      const token = mail.token(person.email, mailPatienceMs)
      token.catch(() => {})
      await ask('mail', 'POST /api/public/reset', 202, { json: { email: person.email } })
      const new_password = newPassword()
      const json = { token: await token, new_password }
      await ask('account', 'POST /api/public/reset/complete', 200, { json })
      person.password = new_password
      await logIn('session')
    },

    /** Refused while the mail server is away, if the owner has a verified address. docs/mail.md */
    async deleteOwn() {
      const headers = await session()
      const json = { username, current_password: person.password }
      const status = [200, 503]
      const reply = await ask('account', 'DELETE /api/account', 200, { headers, json, status })
      if (reply.status === 503 && !mail.isDoubtful()) throw new Error('a deletion was refused: 503')
    },
  }
}
