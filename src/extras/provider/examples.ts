import type { Someone, TestApp } from '../../../test/app.ts'
import { asClient, callback } from '../../../test/clients.ts'
import type { Examples, Made, World } from '../../../test/example.ts'
import { type PageBrowser, pageBrowser } from '../../../test/page-browser.ts'
import { allow, open, signIn } from '../../../test/provider/pages.ts'

export const settings = () => ({ PROVIDER: 'on' })

// RFC 7636 appendix B
const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const parameters = {
  ...{ client_id: 'notes', response_type: 'code', redirect_uri: callback, scope: 'openid' },
  ...{ state: 'x', code_challenge, code_challenge_method: 'S256' },
}
const authorize = `/oauth/authorize?${new URLSearchParams(parameters)}`
const headers = asClient('notes')

const cookieOf = ({ cookies }: PageBrowser) => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
})

/** A browser at the consent page. */
async function asked(app: TestApp, who: Someone): Promise<PageBrowser> {
  const browser = pageBrowser(app)
  await open(browser, authorize)
  await signIn(browser, who)
  return browser
}

async function codeOf({ app, newAccount }: World): Promise<string> {
  const browser = await asked(app, await newAccount())
  return new URL((await allow(browser)) ?? '').searchParams.get('code') ?? ''
}

async function accessToken(world: World): Promise<Made> {
  const form = {
    ...{ grant_type: 'authorization_code', code: await codeOf(world) },
    ...{ redirect_uri: callback, code_verifier },
  }
  const { body } = await world.app.call('POST', '/oauth/token', { headers, form })
  return { headers: { authorization: `Bearer ${body.access_token}` } }
}

export const examples: Examples = {
  providerMetadata: {},
  serverMetadata: {},
  issueApplicationTokens: {
    events: ['application_tokens_issued'],
    make: async (world) => ({
      headers,
      form: {
        ...{ grant_type: 'authorization_code', code: await codeOf(world) },
        ...{ redirect_uri: callback, code_verifier },
      },
    }),
  },
  pushAuthorizationRequest: { make: () => ({ headers, form: parameters }) },
  userinfo: { bare: 401, make: accessToken },
  userinfoByPost: {
    bare: 401,
    make: async (world) => ({ ...(await accessToken(world)), form: {} }),
  },
  'GET /oauth/authorize': { bare: 400, make: () => ({ path: authorize }) },
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
  'GET /oauth/end-session': {},
  'POST /oauth/end-session': { bare: null, make: () => ({ form: { state: 'x' } }) },
  'POST /oauth/end-session/confirm': {
    ...{ bare: null, events: ['session_ended'] },
    make: async ({ app, newAccount }) => {
      const { cookie, 'x-csrf-token': csrf_token } = await app.session(await newAccount())
      return { headers: { cookie }, form: { csrf_token } }
    },
  },
  'GET /account/applications': {},
  'POST /account/applications/withdraw': {
    ...{ needs: 'fresh', bare: 404, events: ['application_access_withdrawn'] },
    make: async ({ app }, { who }) => {
      await allow(await asked(app, who))
      return { form: { client: 'notes' } }
    },
  },
}
