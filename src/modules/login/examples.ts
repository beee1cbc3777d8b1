import type { Example, Examples } from '../../../test/example.ts'

const login = (mode: string, given: object, ...events: string[]): Example => ({
  ...{ bare: 401, ends: true, events: [...events, 'authn_login_success'] },
  make: async ({ newAccount }) => {
    const { username, password } = await newAccount(given)
    const more = 'must_change' in given && { new_password: 'harbour violet 88 anthem' }
    return { json: { username, password, mode, ...more } }
  },
})

const changed = ['authn_password_change', 'authn_token_created'] as const

export const examples: Examples = {
  logIn: [
    login('session', {}, 'session_created'),
    login('token', {}, 'authn_token_created'),
    login('pair', {}, 'authn_token_created'),
    login('token', { must_change: true }, ...changed),
    {
      events: ['session_ended', 'session_created', 'authn_login_success'],
      make: async ({ app, newAccount }) => {
        const who = await newAccount()
        const { cookie } = await app.session(who)
        const { username, password } = who
        return { headers: { cookie }, json: { username, password, mode: 'session' } }
      },
    },
  ],
  listLoginLimits: {},
  clearLoginLimits: {
    bare: 200,
    events: ['authz_admin'],
    make: async ({ newAccount }) => ({ params: { username: (await newAccount()).username } }),
  },
  clearAddressLimits: {
    bare: 400,
    events: ['authz_admin'],
    make: () => ({ params: { address: '192.0.2.9' } }),
  },
}
