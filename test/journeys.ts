import assert from 'node:assert/strict'
import { stepSeconds } from '../src/modules/totp/totp.ts'
import { serviceAccount } from './api-keys.ts'
import { type Answer, type Headers, type Someone, type TestApp, testApp } from './app.ts'
import { ask, clientsFile, entry } from './clients.ts'
import { fixedClock } from './clock.ts'
import { type Count, type CountedDatabase, countedDatabase } from './counted-database.ts'
import { enrolled } from './factor.ts'
import { askForward } from './forward.ts'
import { forwardFile } from './forward-file.ts'
import { clockOfToday, identityProvider, settingsFor } from './identity-provider.ts'
import { newHost } from './logins.ts'
import { verifyAddress } from './mail.ts'
import { assertionOf, withPasskey } from './passkeys.ts'
import { testBrowser } from './test-browser.ts'

/** A journey of a client, with the status of its answer. */
interface Journey {
  readonly name: string
  readonly status: number
  /** Prepares the journey; answers the function whose statements are counted. */
  prepare(service: Service): Promise<() => Promise<Answer>>
}

interface Service extends TestApp {
  /** A new account. */
  someone(more?: object): Promise<Someone>
  logIn(json: object, from?: string): Promise<Answer>
}

const login = (name: string, json: object): Journey => ({
  name,
  status: 200,
  prepare: async ({ someone, logIn }) => {
    const { username, password } = await someone()
    return () => logIn({ username, password, ...json })
  },
})

/** What a caller may change by its path. */
interface Thing {
  readonly path: string
  readonly headers: Headers
}

/** A look at one thing, and each change of it, by a token that was used before. */
function changes(
  name: string,
  make: (service: Service) => Promise<Thing>,
  json: object,
): readonly Journey[] {
  const ways = [
    ['GET', false],
    ['PUT', false],
    ['PUT', true],
    ['DELETE', false],
    ['DELETE', true],
  ] as const
  return ways.map(([method, isConditional]) => ({
    name: `\`${method} ${name}\`${isConditional ? ' with If-Match' : ''}, bearer`,
    status: 200,
    async prepare(service) {
      const { headers, path } = await make(service)
      const { headers: shown } = await service.call('GET', path, { headers })
      const condition = isConditional && { 'if-match': String(shown.etag) }
      const request = { headers: { ...headers, ...condition }, ...(method === 'PUT' && { json }) }
      return () => service.call(method, path, request)
    },
  }))
}

async function newUser({ admin, bearer, someone }: Service): Promise<Thing> {
  return { path: `/users/${(await someone()).userId}`, headers: await bearer(admin) }
}

async function newAccount({ admin, bearer, someone }: Service): Promise<Thing> {
  const { username } = await someone()
  return { path: `/api/admin/accounts/${username}`, headers: await bearer(admin) }
}

async function newPost({ admin, bearer, call }: Service): Promise<Thing> {
  const headers = await bearer(admin)
  const { body } = await call('POST', '/api/posts', { headers, json: { title: 'On doors' } })
  return { path: `/api/posts/${body.id}`, headers }
}

const journeys: readonly Journey[] = [
  login('login, session', { mode: 'session' }),
  login('login, token', { mode: 'token' }),
  login('login, pair', { mode: 'pair' }),
  {
    name: 'login, session, of a known device and a verified address',
    status: 200,
    async prepare(service) {
      const { username, password, userId } = await service.someone()
      await verifyAddress(service, { userId }, `${username}@example.org`)
      const sent = { username, password, mode: 'session' }
      await service.logIn(sent)
      return () => service.logIn(sent)
    },
  },
  {
    name: 'login, after a wrong password',
    status: 200,
    async prepare({ someone, logIn }) {
      const [{ username, password }, from] = [await someone(), newHost()]
      await logIn({ username, password: 'not the password' }, from)
      return () => logIn({ username, password, mode: 'session' }, from)
    },
  },
  {
    name: 'login, wrong password',
    status: 401,
    async prepare({ someone, logIn }) {
      const { username } = await someone()
      return () => logIn({ username, password: 'not the password' })
    },
  },
  {
    name: 'login, unknown name',
    status: 401,
    prepare: async ({ logIn }) => {
      return () => logIn({ username: 'a stranger', password: 'not the password' })
    },
  },
  {
    name: 'login, locked account',
    status: 401,
    async prepare({ admin, basic, call, someone, logIn }) {
      const { username, password } = await someone()
      const change = { headers: basic(admin), json: { locked: true } }
      await call('PUT', `/api/admin/accounts/${username}`, change)
      return () => logIn({ username, password })
    },
  },
  {
    name: 'login, throttled',
    status: 429,
    async prepare({ someone, logIn }) {
      const [{ username, password }, from] = [await someone(), newHost()]
      for (let tries = 0; tries < 5; tries += 1) await logIn({ username, password: 'no' }, from)
      return () => logIn({ username, password }, from)
    },
  },
  {
    name: 'login, no code where one is due',
    status: 401,
    async prepare(service) {
      const { who } = await enrolled(service, 'without-code')
      return () => service.logIn({ username: who.username, password: who.password })
    },
  },
  {
    name: 'login with a code, session',
    status: 200,
    async prepare(service) {
      const { who, device } = await enrolled(service, 'with-code')
      const { username, password } = who
      return () => service.logIn({ username, password, totp: device.code(), mode: 'session' })
    },
  },
  {
    name: 'login by a passkey, session',
    status: 200,
    async prepare(service) {
      const { username } = await service.someone()
      const { passkey } = await withPasskey(service, `${username}-passkey`)
      const sent = await assertionOf(service, passkey)
      return () => service.logIn({ passkey: sent, mode: 'session' })
    },
  },
  {
    name: 'login with a new password due, session',
    status: 200,
    async prepare({ someone, logIn }) {
      const { username, password } = await someone({ must_change: true })
      const new_password = 'another quiet melon'
      return () => logIn({ username, password, new_password, mode: 'session' })
    },
  },
  {
    name: '`GET /api/account`, Basic, first',
    status: 200,
    async prepare({ basic, call, someone }) {
      const headers = basic(await someone())
      return () => call('GET', '/api/account', { headers, from: newHost() })
    },
  },
  {
    name: '`GET /api/account`, Basic, remembered',
    status: 200,
    async prepare({ basic, call, someone }) {
      const request = { headers: basic(await someone()), from: newHost() }
      await call('GET', '/api/account', request)
      return () => call('GET', '/api/account', request)
    },
  },
  {
    name: '`POST /refresh`',
    status: 200,
    prepare: refresh,
  },
  {
    name: '`POST /logout`, session',
    status: 200,
    async prepare({ call, session, someone }) {
      const { cookie } = await session(await someone())
      return () => call('POST', '/logout', { headers: { cookie } })
    },
  },
  {
    name: '`POST /logout`, bearer',
    status: 200,
    async prepare({ call, bearer, someone }) {
      const headers = await bearer(await someone())
      return () => call('POST', '/logout', { headers })
    },
  },
  {
    name: '`GET /api/protected`, session, first',
    status: 200,
    async prepare({ call, session, someone }) {
      const headers = await session(await someone())
      return () => call('GET', '/api/protected', { headers })
    },
  },
  {
    name: '`GET /api/protected`, session, remembered',
    status: 200,
    async prepare({ call, session, someone }) {
      const headers = await session(await someone())
      await call('GET', '/api/protected', { headers })
      return () => call('GET', '/api/protected', { headers })
    },
  },
  {
    name: '`GET /api/me`, bearer, first',
    status: 200,
    async prepare({ call, bearer, someone }) {
      const headers = await bearer(await someone())
      return () => call('GET', '/api/me', { headers })
    },
  },
  {
    name: '`GET /api/me`, bearer, remembered',
    status: 200,
    async prepare({ call, bearer, someone }) {
      const headers = await bearer(await someone())
      await call('GET', '/api/me', { headers })
      return () => call('GET', '/api/me', { headers })
    },
  },
  {
    name: '`GET /api/me`, key of a program, first',
    status: 200,
    async prepare(service) {
      const { headers } = await serviceAccount(service, 'first', ['account:read'])
      return () => service.call('GET', '/api/me', { headers })
    },
  },
  {
    name: '`GET /api/me`, key of a program, remembered',
    status: 200,
    async prepare(service) {
      const { headers } = await serviceAccount(service, 'remembered', ['account:read'])
      await service.call('GET', '/api/me', { headers })
      return () => service.call('GET', '/api/me', { headers })
    },
  },
  {
    name: '`POST /oauth/introspect`, first of a client',
    status: 200,
    async prepare(service) {
      const token = await service.token(await service.someone())
      return () => ask(service, 'introspect', token, { from: newHost() })
    },
  },
  {
    name: '`POST /oauth/introspect`',
    status: 200,
    async prepare(service) {
      const token = await service.token(await service.someone())
      await ask(service, 'introspect', 'none')
      return () => ask(service, 'introspect', token)
    },
  },
  {
    name: '`POST /oauth/revoke`, access token',
    status: 200,
    async prepare(service) {
      const token = await service.token(await service.someone())
      await ask(service, 'introspect', 'none')
      return () => ask(service, 'revoke', token)
    },
  },
  {
    name: '`GET /users`, bearer',
    status: 200,
    async prepare({ call, bearer, someone }) {
      const headers = await bearer(await someone())
      return () => call('GET', '/users', { headers })
    },
  },
  {
    name: '`POST /users`, bearer',
    status: 201,
    async prepare({ admin, call, bearer }) {
      const headers = await bearer(admin)
      const json = { name: 'Ann Lee', email: 'ann@example.org' }
      return () => call('POST', '/users', { headers, json })
    },
  },
  ...changes('/users/{id}', newUser, { name: 'Ann Lee' }),
  ...changes('/api/posts/{id}', newPost, { title: 'On windows' }),
  {
    name: '`PUT /api/admin/posts/{id}/lock`, bearer',
    status: 200,
    async prepare(service) {
      const { headers, path } = await newPost(service)
      return () => service.call('PUT', `/api/admin${path.slice('/api'.length)}/lock`, { headers })
    },
  },
  ...changes('/api/admin/accounts/{username}', newAccount, { roles: ['EDITOR'] }),
  {
    name: '`PUT /api/account/password`, session',
    status: 200,
    async prepare({ call, session, someone }) {
      const who = await someone()
      const json = { current_password: who.password, new_password: 'another quiet melon' }
      const request = { headers: await session(who), json, from: newHost() }
      return () => call('PUT', '/api/account/password', request)
    },
  },
]

const rotating: Journey = {
  name: '`POST /refresh` with `REFRESH_ROTATION=on`',
  status: 200,
  prepare: refresh,
}

async function refresh({ call, pair, someone }: Service) {
  const { refresh_token } = await pair(await someone())
  return () => call('POST', '/refresh', { json: { refresh_token } })
}

const signIn: Journey = {
  name: 'sign-in through a provider, both requests',
  status: 200,
  async prepare(service) {
    await testBrowser(service).open('/oauth/login') // creates the account
    return () => testBrowser(service).open('/oauth/login')
  },
}

/** Counts every journey with the whole service on the database of the tests. */
export async function countJourneys(): Promise<[string, Count][]> {
  const provider = await identityProvider()
  return [
    ...(await countEach(journeys)),
    ...(await countEach(questions, { TRUST_PROXY: '127.0.0.1', FORWARD_AUTH_FILE: rules() })),
    ...(await countEach([rotating], { REFRESH_ROTATION: 'on' })),
    ...(await countEach([signIn], settingsFor(provider), clockOfToday())),
  ]
}

const rules = () =>
  forwardFile([
    { hosts: ['wiki.example.org'], paths: ['/open/*'], policy: 'bypass' },
    { hosts: ['wiki.example.org', '127.0.0.1:3000'], policy: 'one_factor' },
  ])

/** The questions of a proxy. */
const questions: readonly Journey[] = [
  {
    name: '`GET /api/authz/forward`, session, first',
    status: 200,
    async prepare(service) {
      const { cookie } = await service.session(await service.someone())
      const asked = { host: '127.0.0.1:3000', proto: 'http', headers: { cookie } }
      return () => askForward(service, asked)
    },
  },
  {
    name: '`GET /api/authz/forward`, session, remembered',
    status: 200,
    async prepare(service) {
      const { cookie } = await service.session(await service.someone())
      const asked = { host: '127.0.0.1:3000', proto: 'http', headers: { cookie } }
      await askForward(service, asked)
      return () => askForward(service, asked)
    },
  },
  {
    name: '`GET /api/authz/forward`, bearer, remembered',
    status: 200,
    async prepare(service) {
      const headers = await service.bearer(await service.someone())
      await askForward(service, { headers })
      return () => askForward(service, { headers })
    },
  },
  {
    name: '`GET /api/authz/forward`, Basic, remembered',
    status: 200,
    async prepare(service) {
      const headers = service.basic(await service.someone())
      await askForward(service, { headers })
      return () => askForward(service, { headers })
    },
  },
  {
    name: '`GET /api/authz/forward`, open to anyone',
    status: 200,
    prepare: async (service) => () => askForward(service, { uri: '/open/' }),
  },
  {
    name: '`GET /api/authz/forward`, without a credential',
    status: 401,
    prepare: async (service) => () => askForward(service),
  },
]

/** Counts journeys one after another on a service of their own. */
async function countEach(
  wanted: readonly Journey[],
  env: Record<string, string> = {},
  clock = fixedClock(),
): Promise<[string, Count][]> {
  const database = await countedDatabase()
  const clients = { CLIENTS_FILE: clientsFile([entry('shop')]) }
  const app = await testApp({ ...clients, ...env }, { ...database.options, clock })
  const counts: [string, Count][] = []
  for (const [index, journey] of wanted.entries()) {
    clock.advance(stepSeconds) // a code is accepted once
    counts.push([journey.name, await countOne(serviceFor(app, index), journey, database)])
  }
  await app.close()
  return counts
}

async function countOne(
  service: Service,
  { name, status, prepare }: Journey,
  { during }: CountedDatabase,
): Promise<Count> {
  const work = await prepare(service)
  // The reads that happen once a second are not counted.
  const { username, password } = service.admin
  await service.logIn({ username, password })
  const { result, count } = await during(work)
  assert.equal(result.status, status, `${name}: ${result.text}`)
  return count
}

function serviceFor(app: TestApp, index: number): Service {
  let made = 0
  return {
    ...app,
    someone(more = {}) {
      made += 1
      return app.account(`someone-${index}-${made}`, ['USER'], more)
    },
    logIn: (json, from = newHost()) => app.call('POST', '/login', { json, from }),
  }
}
