// A database makes a difference: every route and command runs its statements once.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, suite, test } from 'node:test'
import { main } from '../../src/cli/run.ts'
import { allCommands } from '../../src/core/cli/commands.ts'
import { connect } from '../../src/core/database/connect.ts'
import { migrate } from '../../src/core/database/migrate.ts'
import type { RecordedEvent } from '../../src/core/events/events.ts'
import { modules } from '../../src/modules.ts'
import { startService } from '../../tools/service.ts'
import { type Answer, type Headers, type Someone, testApp } from '../app.ts'
import { gatehouse, type Surroundings } from '../cli/gatehouse.ts'
import { ask, clientsFile, entry } from '../clients.ts'
import { steppingClock } from '../clock.ts'
import { byItself, folder, ofVersion1, passphrase } from '../copies.ts'
import { databaseSettings, testDatabase } from '../database.ts'
import { mailboxes } from '../emails.ts'
import { beginEnrolment, enrol, enrolled } from '../factor.ts'
import { forwardFile } from '../forward-file.ts'
import { atHosts, enter, hostsApp } from '../hosts.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { verifyAddress } from '../mail.ts'
import { rotatingApp } from '../master-key-rotation.ts'
import { pageBrowser } from '../page-browser.ts'
import { pageVisitor } from '../page-forms.ts'
import { seedPosts } from '../posts.ts'
import {
  begunSignUp,
  invited,
  mailboxOf,
  person,
  profileFields,
  profileOf,
} from '../registration.ts'
import { testBrowser } from '../test-browser.ts'
import { exportPath, importLines, importPath, line } from '../transfer.ts'
import { addDeliveries, newWebhook, unheard, webhooks } from '../webhooks.ts'

const other = 'harbour violet 88 anthem'
const user = { name: 'Ann', email: 'ann@example.org' }
const invitations = '/api/admin/invitations'

/** A request that succeeds, once all that it takes is there. */
type Request = () => Promise<Answer>

interface Row {
  /** The names of the events that it records, in any order. */
  readonly events: readonly string[]
  readonly prepare: () => Promise<Request>
  /** The status of a success that redirects: of the form of a page. */
  readonly redirect?: 303
}

suite('which events a change records', async () => {
  const told: RecordedEvent[] = []
  const sinks = { inside: [], afterCommit: [(event: RecordedEvent) => void told.push(event)] }
  const settings = {
    CLIENTS_FILE: clientsFile([entry('shop')]),
    SIGN_UP: 'open',
    SIGN_IN_BY_MAIL: 'on',
    ...byItself,
  }
  const app = await testApp(settings, { sinks })
  const [mailbox, addresses] = [await mailboxOf(app), await mailboxes(app)]
  const admin = await app.bearer(app.admin)
  const idp = await identityProvider()
  const client = await testApp(settingsFor(idp), { clock: clockOfToday(), sinks })
  let made = 0

  const someone = (more: object = {}, on = app) => on.account(`someone${++made}`, ['USER'], more)
  const name = async () => (await someone()).username
  const address = () => `someone${++made}@example.org`
  const newMail = async () => {
    const json = { address: address() }
    return (await app.call('POST', '/api/admin/mail/test', { headers: admin, json })).body.id
  }
  /** An invitation with its token; time has moved on. */
  const invite = (email = address()) => invited(app, mailbox, { email, roles: ['USER'] })
  /** The token of an account that has asked for a proof of an address. */
  const proof = async (headers: Headers) => addresses.token(await addresses.ask(headers, address()))
  const row = (events: readonly string[], prepare: Row['prepare'], redirect?: 303): Row => ({
    events,
    prepare,
    ...(redirect !== undefined && { redirect }),
  })
  const asAdmin = (method: string, path: string, json?: unknown): Request => {
    return () => app.call(method, path, { headers: admin, ...(json !== undefined && { json }) })
  }
  const log = (mode: string) =>
    row(
      [mode === 'session' ? 'session_created' : 'authn_token_created', 'authn_login_success'],
      async () => {
        const { username, password } = await someone()
        return () => app.call('POST', '/login', { json: { username, password, mode } })
      },
    )

  async function link() {
    const who = await someone({}, client)
    const headers = await client.session(who)
    const browser = testBrowser(client)
    browser.cookies.set('JSESSIONID', headers.cookie.split('=')[1] ?? '')
    idp.person = { sub: `sub ${who.username}`, preferred_username: 'x', email: 'x@example.org' }
    const begin = () =>
      browser.call('POST', '/api/account/identities', {
        headers: { 'x-csrf-token': headers['x-csrf-token'] },
        json: { provider: 'default', current_password: who.password },
      })
    return { headers, browser, begin, who }
  }

  /** An account with a second factor that has come back from the provider, and is asked for a code. */
  async function halfway() {
    const { headers, browser, begin } = await link()
    await browser.open((await begin()).body.url)
    const device = await enrol(client, headers)
    client.clock.advance(30)
    browser.cookies.clear()
    await browser.open('/oauth/login')
    return { browser, device }
  }

  const routes: Record<string, Row | readonly Row[]> = {
    'POST /login': [
      log('session'),
      log('token'),
      log('pair'),
      row(['session_ended', 'session_created', 'authn_login_success'], async () => {
        const { username, password, ...who } = await someone()
        const { cookie } = await app.session({ username, password, ...who })
        const json = { username, password, mode: 'session' }
        return () => app.call('POST', '/login', { headers: { cookie }, json })
      }),
      row(['authn_password_change', 'authn_token_created', 'authn_login_success'], async () => {
        const { username, password } = await someone({ must_change: true })
        const json = { username, password, mode: 'token', new_password: other }
        return () => app.call('POST', '/login', { json })
      }),
    ],
    'POST /logout': [
      row([], async () => () => app.call('POST', '/logout')),
      row(['session_ended'], async () => {
        const headers: Headers = { cookie: (await app.session(await someone())).cookie }
        return () => app.call('POST', '/logout', { headers })
      }),
      row(['authn_token_revoked'], async () => {
        const { access_token, refresh_token } = await app.pair(await someone())
        const headers = { authorization: `Bearer ${access_token}` }
        return () => app.call('POST', '/logout', { headers, json: { refresh_token } })
      }),
    ],
    'POST /refresh': row(['authn_token_created'], async () => {
      const { refresh_token } = await app.pair(await someone())
      return () => app.call('POST', '/refresh', { json: { refresh_token } })
    }),
    'GET /oauth/callback': [
      row(['user_created', 'session_created', 'authn_login_success'], async () => {
        idp.person = { sub: 'new', preferred_username: 'new', email: 'new@example.org' }
        return () => testBrowser(client).open('/oauth/login')
      }),
      row(['identity_linked'], async () => {
        const { browser, begin } = await link()
        const { url } = (await begin()).body
        return () => browser.open(url)
      }),
    ],
    ...Object.fromEntries(
      ['/oauth/logout', '/oauth/:provider/logout'].map((route) => [
        `POST ${route}`,
        {
          ...row(['session_ended'], async () => {
            const who = await someone({}, client)
            const { cookie, 'x-csrf-token': csrf_token } = await client.session(who)
            const path = route.replace(':provider', 'default')
            return () => client.call('POST', path, { headers: { cookie }, form: { csrf_token } })
          }),
          redirect: 303,
        },
      ]),
    ),
    'POST /oauth/second-factor': row(['session_created', 'authn_login_success'], async () => {
      const { browser, device } = await halfway()
      return () => browser.call('POST', '/oauth/second-factor', { form: { totp: device.code() } })
    }),
    'POST /oauth/introspect': row([], async () => {
      const token = await app.token(await someone())
      return () => ask(app, 'introspect', token)
    }),
    'POST /oauth/revoke': [
      row(['authn_token_revoked'], async () => {
        const { refresh_token } = await app.pair(await someone())
        return () => ask(app, 'revoke', refresh_token)
      }),
      row([], async () => () => ask(app, 'revoke', 'none')),
    ],
    'POST /api/transfer': row(['sensitive_update'], async () => {
      const headers = await app.session(await someone())
      return () => app.call('POST', '/api/transfer', { headers })
    }),
    'POST /api/posts': row(['post_created'], async () =>
      asAdmin('POST', '/api/posts', { title: 'One' }),
    ),
    'PUT /api/posts/:id': row(['post_updated'], async () =>
      asAdmin('PUT', `/api/posts/${(await seedPosts(app, 1))[0]}`, { title: 'Two' }),
    ),
    'DELETE /api/posts/:id': row(['post_deleted'], async () =>
      asAdmin('DELETE', `/api/posts/${(await seedPosts(app, 1))[0]}`),
    ),
    'PUT /api/admin/posts/:id/lock': row(['post_locked'], async () =>
      asAdmin('PUT', `/api/admin/posts/${(await seedPosts(app, 1))[0]}/lock`),
    ),
    'DELETE /api/admin/posts/:id/lock': row(['post_unlocked'], async () =>
      asAdmin('DELETE', `/api/admin/posts/${(await seedPosts(app, 1))[0]}/lock`),
    ),
    'POST /api/admin/accounts': row(['user_created'], async () =>
      asAdmin('POST', '/api/admin/accounts', {
        ...{ ...user, username: `someone${++made}`, password: other, roles: ['USER'] },
      }),
    ),
    'PUT /api/admin/accounts/:username': (
      [
        [{ roles: ['EDITOR'] }, ['privilege_permissions_changed']],
        [{ locked: true, active: false }, ['privilege_permissions_changed']],
        [{ password: other }, ['authn_password_change']],
        [{ must_change: true }, ['authz_admin']],
        [
          { roles: ['EDITOR'], password: other, must_change: true },
          ['privilege_permissions_changed', 'authn_password_change'],
        ],
        [{}, []],
      ] as const
    ).map(([json, events]) =>
      row(events, async () => asAdmin('PUT', `/api/admin/accounts/${await name()}`, json)),
    ),
    'DELETE /api/admin/accounts/:username': row(['authz_admin'], async () =>
      asAdmin('DELETE', `/api/admin/accounts/${await name()}`),
    ),
    'POST /api/admin/accounts/:username/password': row(['authn_password_change'], async () =>
      asAdmin('POST', `/api/admin/accounts/${await name()}/password`),
    ),
    'DELETE /api/admin/accounts/:username/second-factor': row(['mfa_removed'], async () => {
      const { who } = await enrolled(app, `someone${++made}`)
      const headers = await app.bearer(app.admin) // of late: time has moved on
      const path = `/api/admin/accounts/${who.username}/second-factor`
      return () => app.call('DELETE', path, { headers })
    }),
    'DELETE /api/admin/accounts/:username/identities/:id': row(['identity_unlinked'], async () => {
      const { browser, begin, who } = await link()
      await browser.open((await begin()).body.url)
      const path = `/api/admin/accounts/${who.username}/identities`
      const headers = await client.bearer(client.admin)
      const [identity] = (await client.call('GET', path, { headers })).body
      return () => client.call('DELETE', `${path}/${identity.id}`, { headers })
    }),
    'DELETE /api/admin/accounts/:username/sessions': row(['session_ended'], async () =>
      asAdmin('DELETE', `/api/admin/accounts/${await name()}/sessions`),
    ),
    'DELETE /api/admin/throttle/:username': row(['authz_admin'], async () =>
      asAdmin('DELETE', `/api/admin/throttle/${await name()}`),
    ),
    'DELETE /api/admin/throttle/addresses/:address': row(['authz_admin'], async () =>
      asAdmin('DELETE', '/api/admin/throttle/addresses/192.0.2.9'),
    ),
    'POST /api/admin/tokens/revoke': [
      row(['authn_token_revoked'], async () =>
        asAdmin('POST', '/api/admin/tokens/revoke', { token: await app.token(await someone()) }),
      ),
      row([], async () => asAdmin('POST', '/api/admin/tokens/revoke', { token: 'none' })),
    ],
    'DELETE /api/admin/accounts/:username/email': row(['email_removed'], async () => {
      const who = await someone()
      await verifyAddress(app, who, address())
      const path = `/api/admin/accounts/${who.username}/email`
      const headers = await app.bearer(app.admin)
      return () => app.call('DELETE', path, { headers })
    }),
    'POST /api/admin/accounts/:username/reset': row(['password_reset_begun'], async () => {
      const path = `/api/admin/accounts/${await name()}/reset`
      const headers = await app.bearer(app.admin)
      return () => app.call('POST', path, { headers, json: { email: address() } })
    }),
    'POST /api/public/reset': [
      row(['password_reset_begun'], async () => {
        const email = address()
        await verifyAddress(app, await someone(), email)
        return () => app.call('POST', '/api/public/reset', { json: { email } })
      }),
      row(['password_reset_begun'], async () => {
        const json = { username: `nobody${++made}` }
        return () => app.call('POST', '/api/public/reset', { json })
      }),
    ],
    'PUT /api/public/reset': row(['authn_password_change', 'password_reset'], async () => {
      const { userId } = await someone()
      const wanted = { purpose: 'reset', userId, asked: address(), version: 1 } as const
      const { id } = await addresses.confirmations.begin(wanted)
      const json = { token: await addresses.token(id), new_password: other }
      return () => app.call('PUT', '/api/public/reset', { json })
    }),
    'POST /reset': [
      {
        events: ['password_reset_begun'],
        redirect: 303,
        prepare: async () => {
          const visitor = pageVisitor(app)
          await visitor.open('/reset')
          return () => visitor.send({ username: `nobody${++made}` })
        },
      },
      {
        events: ['authn_password_change', 'password_reset'],
        redirect: 303,
        prepare: async () => {
          const { userId } = await someone()
          const wanted = { purpose: 'reset', userId, asked: address(), version: 1 } as const
          const { id } = await addresses.confirmations.begin(wanted)
          const visitor = pageVisitor(app)
          await visitor.open(`/reset?token=${await addresses.token(id)}`)
          return () => visitor.send({ new_password: other, new_password_again: other })
        },
      },
    ],
    'POST /verify': {
      events: ['email_verified'],
      redirect: 303,
      prepare: async () => {
        const headers = await app.session(await someone())
        const visitor = pageVisitor(app)
        await visitor.open(`/verify?token=${await proof(headers)}`)
        return () => visitor.send()
      },
    },
    'POST /api/admin/invitations': [
      row(['invitation_created'], async () =>
        asAdmin('POST', invitations, { email: address(), roles: ['USER'] }),
      ),
      row(['invitation_revoked', 'invitation_created'], async () => {
        const { email, roles } = await invite()
        return asAdmin('POST', invitations, { email, roles })
      }),
    ],
    'POST /api/admin/invitations/:id/resend': row(['invitation_resent'], async () =>
      asAdmin('POST', `${invitations}/${(await invite()).id}/resend`),
    ),
    'DELETE /api/admin/invitations/:id': row(['invitation_revoked'], async () =>
      asAdmin('DELETE', `${invitations}/${(await invite()).id}`),
    ),
    'POST /api/admin/backups': row(['backup_requested'], async () =>
      asAdmin('POST', '/api/admin/backups'),
    ),
    'POST /api/admin/audit/verification': row(['audit_verification_requested'], async () =>
      asAdmin('POST', '/api/admin/audit/verification'),
    ),
    'POST /api/admin/keys/rotate': row(['key_rotated'], async () =>
      asAdmin('POST', '/api/admin/keys/rotate', { purpose: 'refresh' }),
    ),
    'POST /api/admin/keys/:kid/retire': row(['key_retired'], async () => {
      const json = { purpose: 'refresh', at_once: true }
      const { body } = await app.call('POST', '/api/admin/keys/rotate', { headers: admin, json })
      app.clock.advance(3) // until every node signs with the new key
      return asAdmin('POST', `/api/admin/keys/${body.before}/retire`)
    }),
    'POST /api/admin/mail/test': row(['mail_tested'], async () =>
      asAdmin('POST', '/api/admin/mail/test', { address: address() }),
    ),
    'POST /api/admin/mail/:id/resend': row(['mail_resent'], async () =>
      asAdmin('POST', `/api/admin/mail/${await newMail()}/resend`),
    ),
    'DELETE /api/admin/mail/:id': row(['mail_cancelled'], async () =>
      asAdmin('DELETE', `/api/admin/mail/${await newMail()}`),
    ),
    [`POST ${webhooks}`]: row(['webhook_created'], async () =>
      asAdmin('POST', webhooks, { url: unheard, events: ['*'] }),
    ),
    [`PUT ${webhooks}/:id`]: [
      row(['webhook_changed'], async () =>
        asAdmin('PUT', `${webhooks}/${(await newWebhook(app, {}, admin)).id}`, {
          state: 'disabled',
        }),
      ),
      row([], async () =>
        asAdmin('PUT', `${webhooks}/${(await newWebhook(app, {}, admin)).id}`, {}),
      ),
    ],
    [`DELETE ${webhooks}/:id`]: row(['webhook_removed'], async () =>
      asAdmin('DELETE', `${webhooks}/${(await newWebhook(app, {}, admin)).id}`),
    ),
    [`POST ${webhooks}/:id/secret`]: row(['webhook_secret_rotated'], async () =>
      asAdmin('POST', `${webhooks}/${(await newWebhook(app, {}, admin)).id}/secret`),
    ),
    [`POST ${webhooks}/:id/test`]: row(['webhook_tested'], async () =>
      asAdmin('POST', `${webhooks}/${(await newWebhook(app, {}, admin)).id}/test`),
    ),
    [`POST ${webhooks}/:id/repeat`]: [
      row(['webhook_deliveries_repeated'], async () => {
        const { id } = await newWebhook(app, {}, admin)
        await addDeliveries(app, id, [{ state: 'failed' }, { state: 'failed' }])
        return asAdmin('POST', `${webhooks}/${id}/repeat`, {})
      }),
      row([], async () =>
        asAdmin('POST', `${webhooks}/${(await newWebhook(app, {}, admin)).id}/repeat`, {}),
      ),
    ],
    [`POST ${webhooks}/deliveries/:id/repeat`]: row(['webhook_deliveries_repeated'], async () => {
      const { id } = await newWebhook(app, {}, admin)
      const [delivery] = await addDeliveries(app, id, [{}])
      return asAdmin('POST', `${webhooks}/deliveries/${delivery}/repeat`)
    }),
    'POST /api/public/invitation': row(['user_created', 'invitation_accepted'], async () => {
      const json = { token: (await invite()).token, ...profileOf(`someone${++made}`) }
      return () => app.call('POST', '/api/public/invitation', { json })
    }),
    'POST /api/public/sign-up': [
      row(['sign_up_begun'], async () => {
        const json = { email: address() }
        return () => app.call('POST', '/api/public/sign-up', { json })
      }),
      row(['sign_up_begun'], async () => {
        const email = address()
        await verifyAddress(app, await someone(), email)
        return () => app.call('POST', '/api/public/sign-up', { json: { email } })
      }),
    ],
    'PUT /api/public/sign-up': row(['user_created'], async () => {
      const { token } = await begunSignUp(app, mailbox, address())
      const json = { token, ...profileOf(`someone${++made}`) }
      return () => app.call('PUT', '/api/public/sign-up', { json })
    }),
    'POST /api/public/verification': [
      row(['email_verified'], async () => {
        const token = await proof(await app.session(await someone()))
        return () => addresses.confirm({ token })
      }),
      row(['email_changed'], async () => {
        const who = await someone()
        await verifyAddress(app, who, address())
        const token = await proof(await app.session(who))
        return () => addresses.confirm({ token })
      }),
      row(['email_restored'], async () => {
        const who = await someone()
        await verifyAddress(app, who, address())
        const token = await proof(await app.session(who))
        await addresses.confirm({ token })
        const [back] = await addresses.waysBack(who)
        return () => addresses.confirm({ token: back })
      }),
    ],
    'POST /api/public/sign-in-code': row(['email_login_begun'], async () => {
      const json = { email: address() }
      return () => app.call('POST', '/api/public/sign-in-code', { json })
    }),
    'PUT /api/public/sign-in-code': row(
      ['authn_token_created', 'authn_login_success'],
      async () => {
        const email = address()
        await verifyAddress(app, await someone(), email)
        const begun = await app.call('POST', '/api/public/sign-in-code', { json: { email } })
        const token = await addresses.token(begun.body.id)
        return () => app.call('PUT', '/api/public/sign-in-code', { json: { token, mode: 'token' } })
      },
    ),
    'POST /signin': {
      ...row(['session_created', 'authn_login_success'], async () => {
        const { username, password } = await someone()
        const browser = pageBrowser(app)
        await browser.open('/signin')
        const { action, fields } = browser.form()
        const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
        const form = { ...fields, username, password }
        return () => app.call('POST', action, { headers: { cookie }, form })
      }),
      redirect: 303,
    },
    'POST /signout': {
      ...row(['session_ended'], async () => {
        const { cookie, 'x-csrf-token': csrf_token } = await app.session(await someone())
        return () => app.call('POST', '/signout', { headers: { cookie }, form: { csrf_token } })
      }),
      redirect: 303,
    },
    'POST /signup': [
      row(['sign_up_begun'], async () => {
        const visitor = person(app)
        await visitor.open('/signup')
        return () => visitor.send({ email: address() })
      }),
      {
        events: ['authn_login_success', 'session_created', 'user_created'],
        prepare: async () => {
          const { token } = await begunSignUp(app, mailbox, address())
          const visitor = person(app)
          await visitor.open(`/signup?token=${token}`)
          return () => visitor.send(profileFields(`someone${++made}`))
        },
        redirect: 303,
      },
    ],
    'POST /invitation': {
      events: ['authn_login_success', 'invitation_accepted', 'session_created', 'user_created'],
      prepare: async () => {
        const visitor = person(app)
        await visitor.open(`/invitation?token=${(await invite()).token}`)
        return () => visitor.send(profileFields(`someone${++made}`))
      },
      redirect: 303,
    },
    'POST /language': {
      events: [],
      prepare: async () => () =>
        app.call('POST', '/language', { form: { language: 'de', return_to: '/' } }),
      redirect: 303,
    },
    'POST /api/admin/explain': row(['sensitive_read'], async () =>
      asAdmin('POST', '/api/admin/explain', { token: 'none' }),
    ),
    [`POST ${importPath}`]: [
      row(
        ['sensitive_create'],
        async () => () =>
          importLines(app, admin, [line(`someone${++made}`), line(`someone${++made}`)]),
      ),
      row(
        [],
        async () => () =>
          app.call('POST', `${importPath}?dry_run=true`, {
            headers: { ...admin, 'content-type': 'application/x-ndjson' },
            body: JSON.stringify(line(`someone${++made}`)),
          }),
      ),
    ],
    [`GET ${exportPath}`]: row(['sensitive_read'], async () => asAdmin('GET', exportPath)),
    'GET /.gatehouse/enter': row(
      ['forward_session_created'],
      async () => {
        const hosts = await hostsApp({}, { sinks })
        const here = await atHosts(hosts, await hosts.account('ann'))
        const address = await here.ticketFor('https://wiki.example.org/')
        return () => enter(hosts, address, here.browser)
      },
      303,
    ),
    'GET /api/admin/audit': [
      row(['sensitive_read'], async () => asAdmin('GET', '/api/admin/audit')),
      row(['sensitive_read'], async () => asAdmin('GET', '/api/admin/audit?after=WzFd')),
      row([], async () => asAdmin('GET', '/api/admin/audit?after=WzFd')), // once in ten minutes
    ],
    'GET /api/admin/audit/export': row(['sensitive_read'], async () =>
      asAdmin('GET', '/api/admin/audit/export'),
    ),
  }

  for (const prefix of ['/api/account', '/api/user/account']) {
    const own = async (
      path: string,
      method: string,
      work: (headers: Headers, who: Someone) => Promise<object | undefined> = async () => undefined,
    ): Promise<Request> => {
      const who = await someone()
      const headers = await app.session(who)
      const json = await work(headers, who)
      return () => app.call(method, `${prefix}${path}`, { headers, ...(json && { json }) })
    }
    const withFactor = (path: string, method: string) =>
      own(path, method, async (headers, { password }) => {
        const device = await enrol(app, headers, prefix)
        app.clock.advance(30)
        return { totp: device.code(), current_password: password }
      })
    Object.assign(routes, {
      [`PUT ${prefix}/password`]: row(['authn_password_change'], () =>
        own('/password', 'PUT', async (_headers, { password }) => ({
          current_password: password,
          new_password: other,
        })),
      ),
      [`GET ${prefix}/export`]: row(['sensitive_read'], () => own('/export', 'GET')),
      [`DELETE ${prefix}`]: row(['user_deleted'], () =>
        own('', 'DELETE', async (_headers, { username, password }) => ({
          username,
          current_password: password,
        })),
      ),
      [`POST ${prefix}/totp`]: row([], () =>
        own('/totp', 'POST', async (_headers, { password }) => ({ current_password: password })),
      ),
      [`PUT ${prefix}/totp`]: row(['mfa_enrolled'], () =>
        own('/totp', 'PUT', async (headers) => {
          const code = await beginEnrolment(app, headers, prefix)
          return { totp: code() }
        }),
      ),
      [`DELETE ${prefix}/totp`]: row(['mfa_removed'], () => withFactor('/totp', 'DELETE')),
      [`POST ${prefix}/recovery-codes`]: row(['mfa_codes_renewed'], () =>
        withFactor('/recovery-codes', 'POST'),
      ),
      [`DELETE ${prefix}/sessions`]: row(['session_ended'], () => own('/sessions', 'DELETE')),
      [`DELETE ${prefix}/sessions/:id`]: row(['session_ended'], async () => {
        const headers = await app.session(await someone())
        const [session] = (await app.call('GET', `${prefix}/sessions`, { headers })).body
        return () => app.call('DELETE', `${prefix}/sessions/${session.id}`, { headers })
      }),
      [`PUT ${prefix}/email`]: row(['email_verification_begun'], () =>
        own('/email', 'PUT', async (_headers, { password }) => ({
          email: address(),
          current_password: password,
        })),
      ),
      [`DELETE ${prefix}/email`]: [
        row(['email_verification_cancelled'], () =>
          own(
            '/email',
            'DELETE',
            async (headers) => void (await addresses.ask(headers, address())),
          ),
        ),
      ],
      [`PUT ${prefix}/language`]: row(['language_changed'], () =>
        own('/language', 'PUT', async () => ({ language: 'de' })),
      ),
      [`POST ${prefix}/identities`]: row([], async () => (await link()).begin),
      [`DELETE ${prefix}/identities/:id`]: row(['identity_unlinked'], async () => {
        const { headers, browser, begin, who } = await link()
        await browser.open((await begin()).body.url)
        const path = `${prefix}/identities`
        const [identity] = (await client.call('GET', path, { headers })).body
        const json = { current_password: who.password }
        return () => client.call('DELETE', `${path}/${identity.id}`, { headers, json })
      }),
    })
  }

  for (const prefix of ['', '/api/v1', '/api/v2']) {
    Object.assign(routes, {
      [`POST ${prefix}/users`]: row(['user_created'], async () =>
        asAdmin('POST', `${prefix}/users`, user),
      ),
      [`PUT ${prefix}/users/:id`]: row(['user_updated'], async () =>
        asAdmin('PUT', `${prefix}/users/${(await someone()).userId}`, { name: 'Bob' }),
      ),
      [`DELETE ${prefix}/users/:id`]: row(['user_deleted'], async () =>
        asAdmin('DELETE', `${prefix}/users/${(await someone()).userId}`),
      ),
    })
  }

  for (const [route, rows] of Object.entries(routes)) {
    for (const [index, { events, prepare, redirect }] of [rows].flat().entries()) {
      test(`${route} (${index + 1}): ${events.join(', ') || 'none'}`, async () => {
        const request = await prepare()
        told.length = 0
        const answer = await request()
        assert.ok(answer.status < 300 || answer.status === redirect, answer.text)
        assert.deepEqual(told.map(({ type }) => type.name).toSorted(), events.toSorted())
      })
    }
  }

  test('every changing route has its row', () => {
    const changing = app.app
      .routes()
      .filter(({ method }) => !['GET', '*'].includes(method))
      .map(({ method, url }) => `${method} ${url}`)
    const others = [
      'GET /oauth/callback',
      `GET ${exportPath}`,
      'GET /api/admin/audit',
      'GET /api/admin/audit/export',
      'GET /.gatehouse/enter',
      'GET /api/account/export',
      'GET /api/user/account/export',
    ]
    // The forms of pages do what the JSON routes do, by the same functions.
    const asked = changing.filter((name) => !name.startsWith('POST /account'))
    assert.deepEqual(Object.keys(routes).toSorted(), [...asked, ...others].toSorted())
  })

  test('every other route tells nothing', async () => {
    told.length = 0
    const headers = { ...admin }
    for (const { method, url } of app.app.routes()) {
      if (method !== 'GET' || `GET ${url}` in routes) continue
      if (url === '/api/authz/forward') continue // no proxy asks: that is refused, and told
      await app.call('GET', url.replace(/:\w+|\*/g, '1'), { headers })
    }
    assert.deepEqual(told, [])
  })

  test('the first administrator is made by the bootstrap', async () => {
    told.length = 0
    await testApp({}, { sinks })
    assert.deepEqual(
      told.map(({ type, payload, context }) => [type.name, payload.username, context.by]),
      [['user_created', 'admin', 'bootstrap']],
    )
  })

  test('what jobs do leaves the events of the same change', async () => {
    const auto = await testApp({ KEY_ROTATION_DAYS: '1' }, { sinks })
    auto.clock.advance(86_400)
    told.length = 0
    for (const job of auto.app.jobs) await job.run()
    assert.deepEqual(
      told.map(({ type, context }) => [type.name, context.by]),
      [
        ['key_rotated', 'job'], // of access tokens, and of refresh tokens
        ['key_rotated', 'job'],
        ['audit_erasures_counted', 'job'],
      ],
    )
  })
})

suite('which events a command records', async () => {
  const app = await testApp({}, { clock: clockOfToday() })
  const admin = await app.bearer(app.admin)
  const idp = await identityProvider()
  const provided = { env: settingsFor(idp) }
  const newPassword = { stdin: `${other}\n` }
  const clients = join(folder(), 'clients.json')
  const forward = forwardFile([{ hosts: ['localhost'], policy: 'one_factor' }])
  const [copy, copiesLocked] = [join(folder(), 'copy'), { stdin: `${passphrase}\n` }]
  let made = 0
  const name = async () => (await app.account(`someone${++made}`)).username

  /** All that a command tells on standard error, as lines of the log. */
  async function linesOf(words: string, more: Surroundings = {}, directory = app.directory) {
    const { clock } = app
    const { code, stdout, stderr } = await gatehouse(directory, `${words} --verbose`, {
      clock,
      ...more,
    })
    assert.equal(code, 0, stderr)
    const lines = stderr.split('\n').filter((one) => one.startsWith('{'))
    return { stdout, events: lines.map((one) => JSON.parse(one)).filter(({ event }) => event) }
  }
  const run = async (words: string, more?: Surroundings, directory?: string) =>
    (await linesOf(words, more, directory)).events
  /** The id of an invitation. */
  const invite = async (): Promise<number> => {
    const json = { email: `someone${++made}@example.org`, roles: ['USER'] }
    const headers = app.basic(app.admin)
    return (await app.call('POST', '/api/admin/invitations', { headers, json })).body.id
  }

  const webhook = async () => (await newWebhook(app, {}, app.basic(app.admin))).id

  /** The id of a mail that waits. */
  const mail = async (): Promise<string> => {
    const json = { address: `someone${++made}@example.org` }
    const headers = app.basic(app.admin)
    return (await app.call('POST', '/api/admin/mail/test', { headers, json })).body.id
  }

  const commandRows: Record<
    string,
    readonly [events: readonly string[], run: () => Promise<object[]>]
  > = {
    'account add': [
      ['user_created'],
      () => run(`account add added --email a@example.org --password-stdin`, newPassword),
    ],
    'account list': [[], () => run('account list')],
    'account show': [[], async () => run(`account show ${await name()}`)],
    'account data': [['sensitive_read'], async () => run(`account data ${await name()}`)],
    compact: [[], () => run('compact')],
    'account delete': [['authz_admin'], async () => run(`account delete ${await name()} --yes`)],
    'account roles': [
      ['privilege_permissions_changed'],
      async () => run(`account roles ${await name()} EDITOR`),
    ],
    'account lock': [
      ['privilege_permissions_changed'],
      async () => run(`account lock ${await name()}`),
    ],
    'account unlock': [
      ['privilege_permissions_changed'],
      async () => run(`account unlock ${await name()}`),
    ],
    'account disable': [
      ['privilege_permissions_changed'],
      async () => run(`account disable ${await name()}`),
    ],
    'account enable': [
      ['privilege_permissions_changed'],
      async () => run(`account enable ${await name()}`),
    ],
    'account password': [
      ['authn_password_change'],
      async () => run(`account password ${await name()} --password-stdin`, newPassword),
    ],
    'account reset': [
      ['password_reset_begun'],
      async () => run(`account reset ${await name()} --email reset@example.org`),
    ],
    'account reset-factor': [
      ['mfa_removed'],
      async () => run(`account reset-factor ${await name()}`),
    ],
    'account import': [
      ['sensitive_create'],
      () => run('account import -', { stdin: JSON.stringify(line(`someone${++made}`)) }),
    ],
    'account export': [['sensitive_read'], () => run('account export')],
    'audit export': [['sensitive_read'], () => run('audit export')],
    invite: [['invitation_created'], () => run('invite one@example.org --roles USER')],
    'invitation list': [[], () => run('invitation list')],
    'invitation resend': [
      ['invitation_resent'],
      async () => run(`invitation resend ${await invite()}`),
    ],
    'invitation revoke': [
      ['invitation_revoked'],
      async () => run(`invitation revoke ${await invite()}`),
    ],
    'user add': [['user_created'], () => run('user add --name Ann --email ann@example.org')],
    'user list': [[], () => run('user list')],
    'throttle list': [[], () => run('throttle list')],
    'mail test': [
      ['mail_tested', 'mail_sent'],
      () => run('mail test post@example.org'), // to a file, as there is no mail server
    ],
    'mail list': [[], () => run('mail list')],
    'mail resend': [['mail_resent'], async () => run(`mail resend ${await mail()}`)],
    'mail cancel': [['mail_cancelled'], async () => run(`mail cancel ${await mail()}`)],
    'webhook add': [['webhook_created'], () => run(`webhook add ${unheard} --events *`)],
    'webhook list': [[], () => run('webhook list')],
    'webhook change': [
      ['webhook_changed'],
      async () => run(`webhook change ${await webhook()} --events user_created`),
    ],
    'webhook enable': [[], async () => run(`webhook enable ${await webhook()}`)],
    'webhook disable': [['webhook_changed'], async () => run(`webhook disable ${await webhook()}`)],
    'webhook secret': [
      ['webhook_secret_rotated'],
      async () => run(`webhook secret ${await webhook()}`),
    ],
    'webhook remove': [
      ['webhook_removed'],
      async () => run(`webhook remove ${await webhook()} --yes`),
    ],
    'webhook test': [['webhook_tested'], async () => run(`webhook test ${await webhook()}`)],
    'webhook deliveries': [[], () => run('webhook deliveries')],
    'webhook delivery': [
      [],
      async () => run(`webhook delivery ${await addDeliveries(app, await webhook(), [{}])}`),
    ],
    'webhook repeat': [
      ['webhook_deliveries_repeated'],
      async () => run(`webhook repeat ${await addDeliveries(app, await webhook(), [{}])}`),
    ],
    'throttle clear': [
      ['authz_admin'],
      async () => {
        const guessed = await name()
        await app.call('POST', '/login', { json: { username: guessed, password: 'wrong' } })
        return run(`throttle clear ${guessed}`)
      },
    ],
    'keys list': [[], () => run('keys list')],
    'audit verify': [[], () => run('audit verify')],
    'keys rotate': [['key_rotated'], () => run('keys rotate')],
    'keys rotate-master': [
      ['master_key_rotated'],
      async () => {
        const { directory, env } = await rotatingApp()
        return run('keys rotate-master', { env, clock: steppingClock(app.clock) }, directory)
      },
    ],
    'keys retire': [
      ['key_retired'],
      async () => {
        const now = { clock: steppingClock(app.clock) }
        await linesOf('keys rotate --now', now) // the tokens of these tests stay valid
        const { stdout } = await linesOf('keys rotate --now --json', now)
        return run(`keys retire ${JSON.parse(stdout).verifies}`)
      },
    ],
    'token inspect': [
      [],
      async () => run('token inspect --token-stdin', { stdin: await app.token(app.admin) }),
    ],
    explain: [
      ['sensitive_read'],
      async () => run('explain --token', { stdin: await app.token(app.admin) }),
    ],
    // The server of the tests keeps nothing through a crash, and their clock is not its clock.
    doctor: [[], () => run('doctor --inside --except clock --except postgresql_durability')],
    'forward check': [
      [],
      () => run('forward check http://localhost/', { env: { FORWARD_AUTH_FILE: forward } }),
    ],
    // A file is no part of the database: the service tells that it has taken up a change.
    'client add': [[], () => run(`client add one --audience api --may revoke --file ${clients}`)],
    'client list': [[], () => run(`client list --file ${clients}`)],
    'client secret': [[], () => run(`client secret one --file ${clients}`)],
    'client retire': [[], () => run(`client retire one --file ${clients}`)],
    'client remove': [[], () => run(`client remove one --file ${clients}`)],
    backup: [['backup_made'], () => run(`backup ${copy}`, copiesLocked)],
    'backup list': [[], () => run('backup list')],
    'backup verify': [
      [],
      () => run(`backup verify ${ofVersion1.path}`, { stdin: `${passphrase}\n` }),
    ],
    restore: [
      ['backup_restored'],
      async () => {
        const [directory, file] = [folder(), join(folder(), 'copy')]
        await run(`backup ${file}`, copiesLocked)
        const env = await databaseSettings(directory, { isEmpty: true })
        return run(`restore ${file}`, { ...copiesLocked, env }, directory)
      },
    ],
    move: [testDatabase === 'postgres' ? ['database_moved'] : [], move],
    migrate: [[], () => run('migrate')],
    start: [['user_created', 'sys_startup', 'sys_shutdown'], startAndStop],
    'config check': [[], () => run('config check')],
    'config show': [[], () => run('config show')],
    routes: [[], () => run('routes')],
    openapi: [[], () => run('openapi')],
    help: [[], () => run('help')],
    completion: [[], () => run('completion bash')],
    'oidc discover': [[], () => run('oidc discover', provided)],
    'oidc token': [[], () => run('oidc token', provided)],
    'oidc login': [[], logIn],
  }

  for (const [words, [events, happen]] of Object.entries(commandRows)) {
    test(`${words}: ${events.join(', ') || 'none'}`, async () => {
      const lines = (await happen()) as { event: string; by?: string }[] // of the log
      const recorded = lines.filter(({ by }) => by !== 'job') // a start runs jobs at any moment
      assert.deepEqual(
        recorded.map(({ event }) => event),
        events,
      )
      if (words !== 'start') assert.ok(lines.every(({ by }) => by === 'cli'))
    })
  }

  test('every command has its row', async () => {
    assert.deepEqual(
      Object.keys(commandRows).toSorted(),
      (await allCommands(modules)).map((command) => command.name).toSorted(),
    )
  })

  test('deletion: HTTP and the command line leave the same event', async () => {
    const [one, two] = [await name(), await name()]
    app.log.length = 0
    const path = `/api/admin/accounts/${one}`
    assert.equal((await app.call('DELETE', path, { headers: admin })).status, 200)
    const strip = ({ time, by, address, scheme, request_id, user_id, username, ...rest }: Line) =>
      rest
    const events = await run(`account delete ${two} --yes`)
    assert.deepEqual((events as Line[]).map(strip), (app.log as Line[]).map(strip))
  })

  const json = (who: string, more: object) => [`/api/admin/accounts/${who}`, more] as const
  for (const [what, words, request] of [
    ['roles', 'account roles NAME EDITOR', (who: string) => json(who, { roles: ['EDITOR'] })],
    ['a lock', 'account lock NAME', (who: string) => json(who, { locked: true })],
    ['an end of use', 'account disable NAME', (who: string) => json(who, { active: false })],
    [
      'a password',
      'account password NAME --password-stdin',
      (who: string) => json(who, { password: other }),
    ],
  ] as const) {
    test(`${what}: HTTP and the command line leave the same event`, async () => {
      const [one, two] = [await name(), await name()]
      app.log.length = 0
      const [path, body] = request(one)
      assert.equal((await app.call('PUT', path, { headers: admin, json: body })).status, 200)
      const strip = ({ time, by, address, scheme, request_id, user_id, username, ...rest }: Line) =>
        rest
      const events = await run(words.replace('NAME', two), newPassword)
      assert.deepEqual((events as Line[]).map(strip), (app.log as Line[]).map(strip))
    })
  }

  async function move(): Promise<object[]> {
    if (testDatabase === 'sqlite') return [] // it goes to PostgreSQL alone
    const directory = folder()
    const { db } = connect({ dataDirectory: directory, timeoutMs: 2000, synchronous: 'off' })
    await migrate(db, app.clock)
    await db.destroy()
    const { DATABASE_URL: url = '' } = await databaseSettings(folder(), { isEmpty: true })
    const env = { DATA_DIR: directory, DATABASE_URL: '', MASTER_KEY: '' }
    return run(`move --to ${url}`, { env }, directory)
  }

  async function startAndStop(): Promise<object[]> {
    const directory = folder()
    const env = await databaseSettings(directory, { isEmpty: true })
    const service = await startService(
      [process.execPath, 'src/cli/main.ts', 'start'],
      { NODE_ENV: 'test', ADMIN_PASSWORD: other, ...env },
      directory,
    )
    after(() => service.remove())
    assert.equal(await service.stop(), 0)
    const lines = service
      .output()
      .split('\n')
      .filter((one) => one.startsWith('{'))
    return lines.map((one) => JSON.parse(one)).filter(({ event }) => event)
  }

  /** In this process, with a browser that goes where it is sent. */
  async function logIn(): Promise<object[]> {
    const native = { OIDC_CLIENT_ID: 'native', OIDC_CLIENT_SECRET: '' }
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
    const env = { NODE_ENV: 'test', ...provided.env, ...native }
    const code = main(['oidc', 'login', '--verbose'], {
      stdin: new PassThrough(),
      stdout,
      stderr,
      env,
    })
    const jar = new Map<string, string>()
    for (let url: URL | null = new URL(await address); url; ) {
      const cookie = [...jar].map(([key, value]) => `${key}=${value}`).join('; ')
      const response: Response = await fetch(url, { headers: { cookie }, redirect: 'manual' })
      for (const one of response.headers.getSetCookie()) {
        const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? []
        jar.set(key, value)
      }
      const location = response.headers.get('location')
      await response.body?.cancel()
      url = location ? new URL(location, url) : null
    }
    assert.equal(await code, 0, shown)
    return shown
      .split('\n')
      .filter((one) => one.includes('"event"'))
      .map((one) => JSON.parse(one))
  }
})

type Line = Record<string, unknown>
