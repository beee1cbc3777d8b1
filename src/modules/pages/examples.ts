import type { Example, Examples, Made } from '../../../test/example.ts'
import { formAt } from '../../../test/page-forms.ts'

const signOut = (params: Made['params'] = {}) =>
  ({
    ...{ bare: null, events: ['session_ended'] },
    make: async ({ app, newAccount }) => {
      const { cookie, 'x-csrf-token': csrf_token } = await app.session(await newAccount())
      return { headers: { cookie }, form: { csrf_token }, params }
    },
  }) satisfies Example

export const examples: Examples = {
  'GET /signin': { make: () => ({ path: '/signin?again=1' }) },
  'POST /signin': {
    ...{ needs: 'flow', events: ['session_created', 'authn_login_success'] },
    make: async (world) => {
      const { username, password } = await world.newAccount()
      return formAt(world.app, '/signin', { username, password })
    },
  },
  'GET /signin/application': {},
  'GET /signout': {},
  'POST /signout': signOut(),
  beginSignOut: {},
  beginSignOutWithProvider: { make: () => ({ params: { provider: 'acme' } }) },
  confirmSignOut: { ...signOut(), needs: 'flow', bare: 303, ends: true },
  confirmSignOutWithProvider: { ...signOut({ provider: 'acme' }), needs: 'flow', bare: 404 },
}
