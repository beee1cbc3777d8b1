import { PassThrough } from 'node:stream'
import {
  belowBothAccounts,
  type Caller,
  type CommandExamples,
  type Example,
  type Examples,
  eventsIn,
  type Made,
  present,
  type World,
} from '../../../test/example.ts'
import { enrol } from '../../../test/factor.ts'
import { exampleProvider, identityProvider, settingsFor } from '../../../test/identity-provider.ts'
import { cookiesOf, type TestBrowser, testBrowser } from '../../../test/test-browser.ts'
import { main } from '../../cli/run.ts'
import { stepSeconds } from '../totp/totp.ts'

export async function identityOf(
  { app }: World,
  { who }: Pick<Caller, 'who'>,
  issuer = 'one',
): Promise<number> {
  const { id } = await app.deps.db
    .insertInto('identities')
    .values({ user_id: who.userId, issuer, subject: who.username, created_at: 0 })
    .onConflict((of) => of.columns(['issuer', 'subject']).doUpdateSet({ created_at: 0 }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function comingBack(browser: TestBrowser, url: string): Promise<Made> {
  const { pathname, search } = await browser.until(url)
  return { path: pathname + search, headers: cookiesOf(browser) }
}

async function begun({ app, newName }: World, path: string) {
  const provider = await exampleProvider(path.includes('acme') ? 'acme' : 'default')
  const name = newName()
  provider.person = { sub: name, preferred_username: name, email: 'new@example.org' }
  const browser = testBrowser(app)
  const { headers } = await browser.call('GET', path)
  return { browser, url: String(headers.location) }
}

async function linking(world: World) {
  const { app, newAccount } = world
  const { browser } = await begun(world, '/')
  const who = await newAccount()
  const session = await app.session(who)
  browser.cookies.set('JSESSIONID', session.cookie.split('=')[1] ?? '')
  const asked = await browser.call('POST', '/api/account/identities', {
    headers: { 'x-csrf-token': session['x-csrf-token'] },
    json: { provider: 'default', current_password: who.password },
  })
  return { browser, session, url: String(asked.body.url) }
}

async function halfway(world: World) {
  const { browser, session, url } = await linking(world)
  await browser.open(url)
  const device = await enrol(world.app, session)
  world.app.clock.advance(stepSeconds)
  browser.cookies.clear()
  await browser.open('/oauth/login')
  return { headers: cookiesOf(browser), totp: device.code() }
}

const comesBack = (path: string, bare: number, params: Made['params'] = {}): Example => ({
  ...{ needs: 'flow', bare },
  events: ['user_created', 'session_created', 'authn_login_success'],
  make: async (world) => {
    const { browser, url } = await begun(world, path)
    return { ...(await comingBack(browser, url)), params }
  },
})
const posted = { state: 'x'.repeat(43), code: 'a-code-of-the-provider' }
const identity: Example = { needs: 'fresh', events: ['identity_unlinked'] }

export const examples: Examples = {
  ...belowBothAccounts({
    listOwnIdentities: {},
    linkIdentity: {
      needs: 'flow',
      make: (_, caller) => ({ json: { provider: 'default', ...present(caller) } }),
    },
    unlinkIdentity: {
      ...identity,
      make: async (world, caller) => ({
        params: { id: await identityOf(world, caller) },
        json: present(caller),
      }),
    },
  }),
  listIdentities: { make: ({ owner }) => ({ params: { username: owner.username } }) },
  removeIdentity: {
    events: ['identity_unlinked'],
    make: async (world) => {
      const who = await world.newAccount()
      return { params: { username: who.username, id: await identityOf(world, { who }) } }
    },
  },
  beginSignIn: {},
  beginSignInWithProvider: { make: () => ({ params: { provider: 'acme' } }) },
  finishSignIn: [
    comesBack('/oauth/login', 400),
    {
      events: ['identity_linked'],
      make: async (world) => {
        const { browser, url } = await linking(world)
        return comingBack(browser, url)
      },
    },
  ],
  finishSignInWithProvider: comesBack('/oauth/acme/login', 404, { provider: 'acme' }),
  handOnSignIn: { make: () => ({ form: posted }) },
  handOnSignInWithProvider: { make: () => ({ params: { provider: 'acme' }, form: posted }) },
  getSecondFactorPage: {
    ...{ needs: 'flow', bare: 400 },
    make: async (world) => ({ headers: (await halfway(world)).headers }),
  },
  confirmSecondFactor: {
    ...{ needs: 'flow', events: ['session_created', 'authn_login_success'] },
    make: async (world) => {
      const { headers, totp } = await halfway(world)
      return { headers, form: { totp } }
    },
  },
}

export const settings = async () => {
  const acme = Object.entries(settingsFor(await exampleProvider('acme')))
  return {
    ...settingsFor(await exampleProvider()),
    ...Object.fromEntries(acme.map(([name, value]) => [name.replace('_', '_ACME_'), value])),
    OIDC_PROVIDERS: 'acme',
  }
}

const oidc =
  (words: string): NonNullable<CommandExamples[string]['run']> =>
  async ({ run }) =>
    run(`oidc ${words}`, { env: settingsFor(await identityProvider()) })

export const commands: CommandExamples = {
  'oidc discover': { run: oidc('discover') },
  'oidc token': { run: oidc('token') },
  'oidc login': { run: logIn },
}

async function logIn(): Promise<object[]> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  stdout.resume()
  let shown = ''
  const address = new Promise<string>((resolve) => {
    stderr.on('data', (chunk) => {
      shown += chunk
      const [, url] = /^ {2}(\S+)\n/m.exec(shown) ?? []
      if (url) resolve(url)
    })
  })
  const native = { OIDC_CLIENT_ID: 'native', OIDC_CLIENT_SECRET: '' }
  const env = { NODE_ENV: 'test', ...settingsFor(await identityProvider()), ...native }
  const code = main(['oidc', 'login', '--verbose'], {
    stdin: new PassThrough(),
    stdout,
    stderr,
    env,
  })
  const jar = new Map<string, string>()
  for (let url: URL | null = new URL(await address); url; ) {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const response: Response = await fetch(url, { headers: { cookie }, redirect: 'manual' })
    for (const one of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? []
      jar.set(key, value)
    }
    const location = response.headers.get('location')
    await response.body?.cancel()
    url = location ? new URL(location, url) : null
  }
  if ((await code) !== 0) throw new Error(shown)
  return eventsIn(shown)
}
