import assert from 'node:assert/strict'
import {
  type Caller,
  type Examples,
  present,
  presentWithCode,
  type World,
} from '../../../test/example.ts'
import { codeOf } from '../../../test/factor.ts'
import { exampleProvider } from '../../../test/identity-provider.ts'
import { afterForm } from '../../../test/page-forms.ts'
import { softwarePasskey } from '../../../test/passkeys.ts'
import { identityOf } from '../../modules/federation/examples.ts'
import { ownPasskey, ownPasskeyAsProof } from '../../modules/passkeys/examples.ts'
import { otherSession } from '../../modules/sessions/examples.ts'
import { enrolments } from '../../modules/totp/examples.ts'

const newPassword = 'harbour violet 88 anthem'

const settingUp = ({ app }: World, caller: Caller) =>
  afterForm(app, caller, '/account/second-factor/set-up', present(caller))

const addingPasskey = ({ app }: World, caller: Caller) =>
  afterForm(app, caller, '/account/passkeys/add', present(caller))

export const examples: Examples = {
  'GET /.well-known/change-password': {},
  ...Object.fromEntries(
    [
      ...['', '/email', '/notices', '/passkeys', '/password', '/providers', '/second-factor'],
      '/sessions',
    ].map((path) => [`GET /account${path}`, {}]),
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
  'GET /account/confirm/leave': {
    ...{ needs: 'fresh', bare: 303 },
    make: async (world, caller) => {
      await identityOf(world, caller, (await exampleProvider()).issuer)
      const form = { by: 'provider', provider: 'default' }
      return afterForm(world.app, caller, '/account/confirm?for=email', form)
    },
  },
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
  'GET /account/second-factor/set-up': { ...{ needs: 'fresh', bare: 303 }, make: settingUp },
  'POST /account/second-factor/confirm': {
    ...{ needs: 'fresh', bare: 400, commit: 2, events: ['mfa_enrolled'] },
    make: async (world, caller) => {
      const { path, headers } = await settingUp(world, caller)
      const { text } = await world.app.call('GET', path, { headers })
      const [, secret = ''] = /<code id="secret">(.*?)<\/code>/.exec(text) ?? assert.fail(text)
      const code = () => codeOf(world.app, secret.replaceAll(' ', ''))
      enrolments.set(caller, code)
      return {
        ...{ path: path.replace('set-up', 'confirm'), headers },
        // Computed when sent.
        get form() {
          return { totp: code() }
        },
      }
    },
  },
  'POST /account/passkeys/add': {
    ...{ needs: 'fresh', bare: 303 },
    make: (_, caller) => ({ form: present(caller) }),
  },
  'GET /account/passkeys/new': { ...{ needs: 'fresh', bare: 303 }, make: addingPasskey },
  'POST /account/passkeys/new': {
    ...{ needs: 'fresh', bare: 400, events: ['mfa_enrolled'] },
    make: async (world, caller) => {
      const { app } = world
      const { path, headers } = await addingPasskey(world, caller)
      const { text } = await app.call('GET', path, { headers })
      const [, options = ''] = /data-passkey="(.*?)"/.exec(text) ?? assert.fail(text)
      const creation = JSON.parse(options.replaceAll('&quot;', '"'))
      const { origin } = app.deps.config.passkeys
      const passkey = JSON.stringify(softwarePasskey({ origin }).registration(creation))
      return { path, headers, form: { passkey, name: 'Telephone' } }
    },
  },
  ...Object.fromEntries(
    ['/account/passkeys/rename', '/account/passkeys/remove'].map((path) => [
      `GET ${path}`,
      {
        ...{ needs: 'fresh', bare: 303 },
        make: async (world: World, caller: Caller) => ({
          path: `${path}?id=${await ownPasskey(world, caller)}`,
        }),
      },
    ]),
  ),
  'POST /account/passkeys/rename': {
    ...{ needs: 'fresh', bare: 400, events: ['passkey_renamed'] },
    make: async (world, caller) => ({
      form: { id: await ownPasskey(world, caller), name: 'Key on the ring' },
    }),
  },
  'POST /account/passkeys/remove': {
    ...{ needs: 'factor', bare: 303, commit: 2, events: ['mfa_removed'] },
    make: async (world, caller) => {
      const { id, passkey } = await ownPasskeyAsProof(world, caller)
      return { form: { id, passkey: JSON.stringify(passkey) } }
    },
  },
  'GET /account/second-factor/remove': { needs: 'factor', bare: 303, make: () => ({}) },
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
  'GET /account/providers/leave': {
    ...{ needs: 'fresh', bare: 303 },
    make: ({ app }, caller) => {
      const form = { provider: 'default', ...present(caller) }
      return afterForm(app, caller, '/account/providers/link', form)
    },
  },
  'POST /account/providers/unlink': {
    ...{ needs: 'fresh', bare: 404, events: ['identity_unlinked'] },
    make: async (world, caller) => {
      const identity = String(await identityOf(world, caller))
      return { form: { identity, ...present(caller) } }
    },
  },
}
