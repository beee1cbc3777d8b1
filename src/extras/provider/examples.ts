import type { Someone, TestApp } from '../../../test/app.ts'
import { asClient, bye } from '../../../test/clients.ts'
import type { Example, Examples, Made, World } from '../../../test/example.ts'
import type { PageBrowser } from '../../../test/page-browser.ts'
import { allow, asked, authorize, codeFor, parameters } from '../../../test/provider/pages.ts'

export const settings = () => ({ PROVIDER: 'on' })

const headers = asClient('notes')

const cookieOf = ({ cookies }: PageBrowser) => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
})

async function accessToken(world: World): Promise<Made> {
  const form = await codeFor(world.app, await world.newAccount())
  const { body } = await world.app.call('POST', '/oauth/token', { headers, form })
  return { headers: { authorization: `Bearer ${body.access_token}` } }
}

const device = { client_id: 'tv', scope: 'openid' }

async function deviceCode({ app }: World): Promise<string> {
  const call = { headers: asClient('tv'), form: device }
  return (await app.call('POST', '/oauth/device', call)).body.user_code
}

async function personOf({ app, newAccount }: World) {
  const { cookie, 'x-csrf-token': csrf_token } = await app.session(await newAccount())
  return { cookie, csrf_token }
}

const onDevice = ({ cookie }: { readonly cookie: string }) => ({ headers: { cookie } })

const preflight: Example = {
  make: () => ({
    headers: { origin: 'https://notes.example.org', 'access-control-request-method': 'POST' },
  }),
}

export const examples: Examples = {
  providerMetadata: {},
  serverMetadata: {},
  issueApplicationTokens: {
    bare: null,
    events: ['application_tokens_issued'],
    make: async ({ app, newAccount }) => ({
      headers,
      form: await codeFor(app, await newAccount()),
    }),
  },
  'OPTIONS /oauth/token': preflight,
  'OPTIONS /oauth/par': preflight,
  'OPTIONS /oauth/device': preflight,
  'OPTIONS /oauth/userinfo': preflight,
  'OPTIONS /oauth/revoke': preflight,
  pushAuthorizationRequest: { bare: null, make: () => ({ headers, form: parameters }) },
  userinfo: { bare: null, make: accessToken },
  userinfoByPost: {
    bare: null,
    make: async (world) => ({ ...(await accessToken(world)), form: {} }),
  },
  'GET /oauth/authorize': { bare: null, make: () => ({ path: authorize }) },
  'POST /oauth/authorize': { bare: null, make: () => ({ form: parameters }) },
  'GET /oauth/authorize/:uid': {
    ...{ needs: 'flow', bare: 400 },
    make: async ({ app, newAccount }) => {
      const browser = await asked(app, await newAccount())
      const { action, fields } = browser.form('value="allow"')
      await app.call('POST', action, { headers: cookieOf(browser), form: fields })
      const path = action.replace('interaction', 'authorize')
      return { path, headers: cookieOf(browser) }
    },
  },
  'GET /oauth/interaction/:uid': {
    ...{ needs: 'flow', bare: 400 },
    make: async ({ app, newAccount }) => {
      const browser = await asked(app, await newAccount())
      return { path: browser.path(), headers: cookieOf(browser) }
    },
  },
  'POST /oauth/interaction/:uid': {
    ...{ needs: 'flow', bare: 400, events: ['application_access_given'] },
    make: async ({ app, newAccount }) => {
      const browser = await asked(app, await newAccount())
      const { action, fields } = browser.form('value="allow"')
      return { path: action, form: fields, headers: cookieOf(browser) }
    },
  },
  'GET /oauth/end-session': {
    bare: null,
    make: async ({ app, newAccount }) => {
      const { cookie } = await app.session(await newAccount())
      return { headers: { cookie } }
    },
  },
  'POST /oauth/end-session': { bare: null, make: () => ({ form: { state: 'x' } }) },
  'POST /oauth/end-session/confirm': {
    ...{ bare: null, events: ['session_ended'] },
    make: async ({ app, newAccount }) => {
      const { cookie, 'x-csrf-token': csrf_token } = await app.session(await newAccount())
      const target = { client_id: 'notes', post_logout_redirect_uri: bye }
      const path = `/oauth/end-session/confirm?${new URLSearchParams(target)}`
      return { path, headers: { cookie }, form: { csrf_token } }
    },
  },
  beginDeviceSignIn: { bare: null, make: () => ({ headers: asClient('tv'), form: device }) },
  'GET /device': { bare: null, make: async (world) => onDevice(await personOf(world)) },
  'POST /device': {
    bare: null,
    make: async (world) => {
      const { cookie, csrf_token } = await personOf(world)
      return { headers: { cookie }, form: { csrf_token, user_code: await deviceCode(world) } }
    },
  },
  'POST /device/decide': {
    ...{ bare: null, events: ['application_access_given'] },
    make: async (world) => {
      const { cookie, csrf_token } = await personOf(world)
      const user_code = await deviceCode(world)
      return { headers: { cookie }, form: { csrf_token, user_code, decision: 'allow' } }
    },
  },
  listApplicationsOfAccount: {
    make: async ({ app, newAccount }) => {
      const who = await newAccount()
      await giveConsent(app, who)
      return { params: { username: who.username } }
    },
  },
  withdrawApplicationOfAccount: {
    events: ['application_access_withdrawn'],
    make: async ({ app, newAccount }) => {
      const who = await newAccount()
      await giveConsent(app, who)
      return { params: { username: who.username, client: 'notes' } }
    },
  },
  listAccountsOfClient: { make: () => ({ params: { id: 'notes' } }) },
  'GET /account/applications': {},
  'POST /account/applications/withdraw': {
    ...{ needs: 'fresh', bare: 404, events: ['application_access_withdrawn'] },
    make: async ({ app }, { who }) => {
      await allow(await asked(app, who))
      return { form: { client: 'notes' } }
    },
  },
}

/** As the page of an application does; also while the provider is off. */
async function giveConsent({ deps: { clock, db } }: TestApp, { userId }: Someone): Promise<void> {
  await db
    .insertInto('provider_consents')
    .values({ user_id: userId, client: 'notes', scopes: 'openid', given_at: clock.now() })
    .execute()
}
