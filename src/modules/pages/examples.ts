import { mailboxes } from '../../../test/emails.ts'
import {
  type Example,
  type Examples,
  present,
  presentWithCode,
  type World,
} from '../../../test/example.ts'
import { filledForm, pageVisitor } from '../../../test/page-forms.ts'
import { begunSignUp, invited, mailboxOf, profileFields } from '../../../test/registration.ts'
import { otherSession } from '../sessions/examples.ts'

const newPassword = 'harbour violet 88 anthem'

/** The form of a page, with fields; the page is opened by a browser of its own. */
async function formAt({ app }: World, path: string, fields: Record<string, string> = {}) {
  const visitor = pageVisitor(app)
  await visitor.open(path)
  return filledForm(visitor, fields)
}

const signOut: Example = {
  ...{ bare: null, events: ['session_ended'] },
  make: async ({ app, newAccount }) => {
    const { cookie, 'x-csrf-token': csrf_token } = await app.session(await newAccount())
    return { headers: { cookie }, form: { csrf_token }, params: { provider: 'default' } }
  },
}
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
  'POST /account/email': {
    events: ['email_verification_begun'],
    make: ({ newAddress }, caller) => ({ form: { email: newAddress(), ...present(caller) } }),
  },
  'POST /account/email/confirm': ofFlow(400),
  'POST /account/email/cancel': {
    ...{ bare: null, events: ['email_verification_cancelled'] },
    make: async ({ app, once, newAddress }, { who }) => {
      await (await once(mailboxes)).ask(app.basic(who), newAddress(), who.password)
      return { form: {} }
    },
  },
  'GET /reset': {},
  'POST /reset': [
    {
      ...{ needs: 'flow', events: ['password_reset_begun'] },
      make: (world) => formAt(world, '/reset', { username: world.newName() }),
    },
    {
      events: ['authn_password_change', 'password_reset'],
      make: async (world) => {
        const { confirmations, token } = await world.once(mailboxes)
        const { userId } = await world.newAccount()
        const { id } = await confirmations.begin({ purpose: 'reset', userId, version: 1 })
        const fields = { new_password: newPassword, new_password_again: newPassword }
        return formAt(world, `/reset?token=${await token(id)}`, fields)
      },
    },
  ],
  'GET /verify': {},
  'POST /verify': {
    ...{ needs: 'flow', events: ['email_verified'] },
    make: async (world) => {
      const { ask, token } = await world.once(mailboxes)
      const who = await world.newAccount()
      const id = await ask(world.app.basic(who), world.newAddress(), who.password)
      return formAt(world, `/verify?token=${await token(id)}`)
    },
  },
  'GET /signin': { make: () => ({ path: '/signin?again=1' }) },
  'POST /signin': {
    ...{ needs: 'flow', events: ['session_created', 'authn_login_success'] },
    make: async (world) => {
      const { username, password } = await world.newAccount()
      return formAt(world, '/signin', { username, password })
    },
  },
  'GET /signin/application': {},
  'GET /signout': {},
  'POST /signout': signOut,
  beginSignOut: {},
  beginSignOutWithProvider: { make: () => ({ params: { provider: 'default' } }) },
  confirmSignOut: { ...signOut, needs: 'flow', bare: 303, ends: true },
  confirmSignOutWithProvider: { ...signOut, needs: 'flow', bare: 404 },
  'GET /invitation': ofFlow(400),
  'POST /invitation': {
    needs: 'flow',
    events: ['authn_login_success', 'invitation_accepted', 'session_created', 'user_created'],
    make: async (world) => {
      const wanted = { email: world.newAddress(), roles: ['USER'] }
      const { token } = await invited(world.app, await world.once(mailboxOf), wanted, world.admin)
      return formAt(world, `/invitation?token=${token}`, profileFields(world.newName()))
    },
  },
  'GET /signup': {},
  'POST /signup': [
    {
      ...{ needs: 'flow', events: ['sign_up_begun'] },
      make: (world) => formAt(world, '/signup', { email: world.newAddress() }),
    },
    {
      events: ['authn_login_success', 'session_created', 'user_created'],
      make: async (world) => {
        const { app, once, newAddress, newName } = world
        const { token } = await begunSignUp(app, await once(mailboxOf), newAddress())
        return formAt(world, `/signup?token=${token}`, profileFields(newName()))
      },
    },
  ],
}
