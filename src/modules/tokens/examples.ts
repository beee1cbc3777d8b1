import type { CommandExamples, Examples } from '../../../test/example.ts'

export const examples: Examples = {
  refreshToken: {
    bare: 401,
    events: ['authn_token_created'],
    make: async ({ app, newAccount }) => {
      const { refresh_token } = await app.pair(await newAccount())
      return { form: { refresh_token } }
    },
  },
  getMe: {},
  getJwks: {},
  revokeToken: [
    {
      events: ['authn_token_revoked'],
      make: async ({ app, newAccount }) => ({
        json: { token: await app.token(await newAccount()) },
      }),
    },
    { make: () => ({ json: { token: 'none' } }) },
  ],
  introspectToken: {
    make: async ({ app, newAccount }) => ({
      form: { token: await app.token(await newAccount()) },
    }),
  },
  revokeTokenAsClient: [
    {
      events: ['authn_token_revoked'],
      make: async ({ app, newAccount }) => {
        const { refresh_token } = await app.pair(await newAccount())
        return { form: { token: refresh_token } }
      },
    },
    { make: () => ({ form: { token: 'none' } }) },
  ],
}

export const commands: CommandExamples = {
  'token inspect': {
    run: async ({ run, app }) =>
      run('token inspect --token-stdin', { stdin: await app.token(app.admin) }),
  },
}
