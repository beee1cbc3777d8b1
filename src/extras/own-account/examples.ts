import { type Example, type Examples, present, presentWithCode } from '../../../test/example.ts'
import { otherSession } from '../../modules/sessions/examples.ts'

const newPassword = 'harbour violet 88 anthem'
const ofFlow = (bare: number): Example => ({ needs: 'flow', bare })

export const examples: Examples = {
  'GET /.well-known/change-password': {},
  ...Object.fromEntries(
    ['', '/email', '/notices', '/password', '/providers', '/second-factor', '/sessions'].map(
      (path) => [`GET /account${path}`, {}],
    ),
  ),
  'GET /account/recovery-codes': {},
  'POST /account/language': {
    ...{ bare: null, events: ['language_changed'] },
    make: async ({ app }, { who }) => {
      const call = { headers: app.basic(who), json: { language: 'en' } }
      await app.call('PUT', '/api/account/language', call)
      return { form: { language: 'de' } }
    },
  },
  'GET /account/confirm': {
    bare: 303,
    make: () => ({ path: '/account/confirm?for=email' }),
  },
  'POST /account/confirm': {
    commit: null,
    make: (_, caller) => ({ path: '/account/confirm?for=email', form: present(caller) }),
  },
  'GET /account/confirm/leave': ofFlow(303),
  'POST /account/password': {
    ...{ needs: 'fresh', bare: 303, events: ['authn_password_change'] },
    make: (_, caller) => ({
      form: { ...present(caller), new_password: newPassword, new_password_again: newPassword },
    }),
  },
  'POST /account/second-factor/set-up': {
    ...{ needs: 'fresh', bare: 303 },
    make: (_, caller) => ({ form: present(caller) }),
  },
  'GET /account/second-factor/set-up': ofFlow(303),
  'POST /account/second-factor/confirm': ofFlow(400),
  'GET /account/second-factor/remove': ofFlow(303),
  'POST /account/second-factor/remove': {
    ...{ needs: 'factor', bare: 303, commit: 3, events: ['mfa_recovery_code_used', 'mfa_removed'] },
    make: (_, caller) => ({ form: presentWithCode(caller) }),
  },
  'POST /account/recovery-codes': {
    ...{
      needs: 'factor',
      bare: 303,
      commit: 2,
      events: ['mfa_recovery_code_used', 'mfa_codes_renewed'],
    },
    make: (_, caller) => ({ form: presentWithCode(caller) }),
  },
  'POST /account/sessions/end': {
    ...{ needs: 'fresh', bare: 404, events: ['session_ended'] },
    make: async ({ app }, { who }) => ({ form: { session: await otherSession(app, who) } }),
  },
  'POST /account/sessions/end-others': {
    ...{ needs: 'fresh', ends: true, bare: 303, events: ['session_ended'] },
    make: async ({ app }, { who }) => {
      await otherSession(app, who)
      return { form: {} }
    },
  },
  'POST /account/providers/link': {
    needs: 'fresh',
    make: (_, caller) => ({ form: { provider: 'default', ...present(caller) } }),
  },
  'GET /account/providers/leave': ofFlow(303),
  'POST /account/providers/unlink': ofFlow(404),
}
