import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callersOf } from '../../src/core/http/documents/matrix.ts'
import { contractRoles } from '../../src/core/policy/principal.ts'
import { type Headers, passwordOf, type Someone, testApp } from '../app.ts'
import { asClient, clientsFile, entry } from '../clients.ts'
import { byItself } from '../copies.ts'
import { mailboxes } from '../emails.ts'
import { forwarded } from '../forward.ts'
import { forwardFile } from '../forward-file.ts'
import { verifyAddress } from '../mail.ts'
import { seedPosts } from '../posts.ts'
import { begunSignUp, invited, mailboxOf, profileOf } from '../registration.ts'
import { line, ndjson } from '../transfer.ts'
import { addDeliveries, newWebhook, unheard, webhooks } from '../webhooks.ts'

/** A request that is valid but for its caller; made anew for each, since it may use things up. */
interface Right {
  readonly path?: string
  readonly json?: unknown
  readonly form?: Record<string, string>
  readonly lines?: string
  readonly headers?: Headers
}

/** Whose success asks for more than a caller: each has its own tests. */
const elsewhere: Record<string, RegExp> = {
  'needs an identity provider':
    /^GET \/oauth\/|^POST \/oauth\/(second-factor|logout|:provider)|account\/identities/,
  'needs a second factor, or makes one': /\/totp$|\/recovery-codes$/,
  'ends what the caller came with': /account\/(sessions|password|sessions\/end-others)$/,
  'ends the caller': /^DELETE \/api\/(user\/)?account$|^POST \/account\/delete$/,
  'is a session of the caller': /account\/sessions\/(:id|end)$/,
  'needs a ticket, and a proxy': /^GET \/\.gatehouse\/enter$/,
  'needs what its page begins':
    /^POST \/(signin|signup|invitation|reset|verify)$|^GET \/invitation$|\/account\/second-factor\/|\/account\/providers\/|^POST \/account\/email\/confirm$|\/account\/confirm\/leave$/,
}

const any = 'any one of them'
const newPassword = 'another phrase, 1887'
const schemes = ['basic', 'session', 'bearer'] as const
const rolesOf = { USER: ['USER'], EDITOR: ['EDITOR'], ADMIN: ['ADMIN'], owner: ['USER'] } as const

suite('docs/access.txt: every route answers what is printed, by every scheme, over HTTP', async () => {
  const app = await testApp({
    ...byItself,
    LOGIN_CAPTCHA_AFTER: '1000',
    // A client's secret is a wrong password at most routes.
    LOGIN_ATTEMPTS: '0',
    LOGIN_ADDRESS_ATTEMPTS: '0',
    CLIENTS_FILE: clientsFile([entry('shop', { may: ['introspect', 'revoke', 'metrics'] })]),
    REAUTHENTICATE_SECONDS: '86400', // time moves on between two mails to one address
    SIGN_UP: 'open',
    SIGN_IN_BY_MAIL: 'on',
    MAIL_REQUESTS_PER_CLIENT: '0',
    PAGES_COLOR: '#1a5fb4',
    TRUST_PROXY: '127.0.0.1',
    FORWARD_AUTH_FILE: forwardFile([{ hosts: ['wiki.example.org'], policy: 'bypass' }]),
  })
  const mailbox = await mailboxOf(app)
  const addresses = await mailboxes(app)
  const { url } = await app.listen()
  const admin = await app.bearer(app.admin)
  const someone = {} as Record<keyof typeof rolesOf, Someone>
  const proof = {} as Record<keyof typeof rolesOf, Record<(typeof schemes)[number], Headers>>
  const renew = async (caller: keyof typeof rolesOf) => {
    const account = someone[caller]
    proof[caller] = {
      basic: app.basic(account),
      session: await app.session(account),
      bearer: await app.bearer(account),
    }
  }
  for (const caller of ['USER', 'EDITOR', 'ADMIN', 'owner'] as const) {
    someone[caller] = await app.account(`the-${caller.toLowerCase()}`, rolesOf[caller])
    await renew(caller)
  }
  let made = 0
  const newUser = async () => {
    const json = { name: 'A', email: 'a@example.org' }
    return (await app.call('POST', '/users', { headers: admin, json })).body.id
  }
  const newAccount = async () => {
    made += 1
    return (await app.account(`made-${made}`)).username
  }
  const newAddress = () => {
    made += 1
    return `made-${made}@example.org`
  }
  /** An account without a login that could end, whose address waits for its proof. */
  const proofOfAddress = async () => {
    const { userId } = await app.account(`made-${++made}`)
    const email = newAddress()
    const address = { address: email, key: email }
    const wanted = { purpose: 'verification', userId, asked: email, address, version: 1 } as const
    const { id } = await addresses.confirmations.begin({ ...wanted, facts: { from: null } })
    return addresses.token(id)
  }
  const withAddress = async () => {
    const who = await app.account(`made-${++made}`)
    const email = newAddress()
    await verifyAddress(app, who, email)
    return { ...who, email }
  }
  const newIdentity = async () => {
    const { userId: user_id, username } = await app.account(`made-${++made}`)
    const { id } = await app.deps.db
      .insertInto('identities')
      .values({ user_id, issuer: 'one', subject: username, created_at: 0 })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { username, id }
  }
  const newInvitation = () => invited(app, mailbox, { email: newAddress(), roles: ['USER'] }, admin)
  const newMail = async () => {
    const sent = { headers: admin, json: { address: newAddress() } }
    return (await app.call('POST', '/api/admin/mail/test', sent)).body.id
  }
  /** A key of refresh tokens that signs no more. */
  const replacedKey = async () => {
    const sent = { headers: admin, json: { purpose: 'refresh', at_once: true } }
    const { body } = await app.call('POST', '/api/admin/keys/rotate', sent)
    app.clock.advance(3) // until every node signs with the new key
    return body.before
  }
  const webhook = await newWebhook(app, {}, admin)
  const delivery = async () => String((await addDeliveries(app, webhook.id, [{}])).at(0))
  const newPost = async () =>
    (await seedPosts(app, 1, { authorId: someone.owner.userId })).at(0) ?? assert.fail()
  const ownUser = () => someone.owner.userId
  const ofUsers = (base: string): Record<string, () => Promise<Right> | Right> => ({
    [`POST ${base}/users`]: () => ({ json: { name: 'A', email: 'a@example.org' } }),
    [`GET ${base}/users/:id`]: () => ({ path: `${base}/users/1` }),
    [`PUT ${base}/users/:id`]: () => ({ path: `${base}/users/${ownUser()}`, json: { name: 'B' } }),
    [`DELETE ${base}/users/:id`]: async () => ({ path: `${base}/users/${await newUser()}` }),
  })
  const accounts = '/api/admin/accounts'
  const right: Record<string, (password: string) => Promise<Right> | Right> = {
    ...ofUsers(''),
    ...ofUsers('/api/v1'),
    ...ofUsers('/api/v2'),
    'GET /assets/:version/:file': () => ({ path: '/assets/0/style.css' }),
    'GET /.gatehouse/assets/:version/:file': () => ({ path: '/.gatehouse/assets/0/style.css' }),
    'GET /assets/docs/:version/:file': () => ({ path: '/assets/docs/0/main.js' }),
    'POST /login': () => ({ form: { username: app.admin.username, password: app.admin.password } }),
    'POST /refresh': async () => ({
      form: { refresh_token: (await app.pair(app.admin)).refresh_token },
    }),
    [`POST ${accounts}`]: () => {
      made += 1
      const username = `made-${made}`
      const user = { name: 'A', email: 'a@example.org' }
      return { json: { username, password: passwordOf(username), roles: [], ...user } }
    },
    [`GET ${accounts}/:username`]: () => ({ path: `${accounts}/the-user` }),
    [`PUT ${accounts}/:username`]: () => ({ path: `${accounts}/the-user`, json: {} }),
    [`DELETE ${accounts}/:username`]: async () => ({ path: `${accounts}/${await newAccount()}` }),
    [`POST ${accounts}/:username/password`]: async () => ({
      path: `${accounts}/${await newAccount()}/password`,
    }),
    [`DELETE ${accounts}/:username/second-factor`]: async () => ({
      path: `${accounts}/${await newAccount()}/second-factor`,
    }),
    [`GET ${accounts}/:username/sessions`]: () => ({ path: `${accounts}/the-user/sessions` }),
    [`DELETE ${accounts}/:username/sessions`]: async () => ({
      path: `${accounts}/${await newAccount()}/sessions`,
    }),
    [`GET ${accounts}/:username/identities`]: () => ({ path: `${accounts}/the-user/identities` }),
    [`DELETE ${accounts}/:username/identities/:id`]: async () => {
      const { username, id } = await newIdentity()
      return { path: `${accounts}/${username}/identities/${id}` }
    },
    [`GET ${accounts}/:username/details`]: () => ({ path: `${accounts}/the-user/details` }),
    [`GET ${accounts}/:username/email`]: () => ({ path: `${accounts}/the-user/email` }),
    [`DELETE ${accounts}/:username/email`]: async () => ({
      path: `${accounts}/${(await withAddress()).username}/email`,
    }),
    'POST /api/admin/invitations': () => ({ json: { email: newAddress(), roles: ['USER'] } }),
    'DELETE /api/admin/invitations/:id': async () => ({
      path: `/api/admin/invitations/${(await newInvitation()).id}`,
    }),
    'POST /api/admin/invitations/:id/resend': async () => ({
      path: `/api/admin/invitations/${(await newInvitation()).id}/resend`,
    }),
    'POST /api/admin/backups': () => ({}),
    'GET /api/admin/mail/previews/:id': () => ({ path: '/api/admin/mail/previews/reset' }),
    'POST /api/admin/keys/rotate': () => ({ json: { purpose: 'refresh' } }),
    'POST /api/admin/keys/:kid/retire': async () => ({
      path: `/api/admin/keys/${await replacedKey()}/retire`,
    }),
    'POST /api/admin/mail/test': () => ({ json: { address: newAddress() } }),
    'POST /api/admin/mail/:id/resend': async () => ({
      path: `/api/admin/mail/${await newMail()}/resend`,
    }),
    'DELETE /api/admin/mail/:id': async () => ({ path: `/api/admin/mail/${await newMail()}` }),
    [`POST ${webhooks}`]: () => ({ json: { url: unheard, events: ['*'] } }),
    [`DELETE ${webhooks}/:id`]: async () => ({
      path: `${webhooks}/${(await newWebhook(app, {}, admin)).id}`,
    }),
    [`PUT ${webhooks}/:id`]: () => ({ path: `${webhooks}/${webhook.id}`, json: {} }),
    [`GET ${webhooks}/:id`]: () => ({ path: `${webhooks}/${webhook.id}` }),
    [`GET ${webhooks}/:id/deliveries`]: () => ({ path: `${webhooks}/${webhook.id}/deliveries` }),
    [`POST ${webhooks}/:id/secret`]: () => ({ path: `${webhooks}/${webhook.id}/secret` }),
    [`POST ${webhooks}/:id/test`]: () => ({ path: `${webhooks}/${webhook.id}/test` }),
    [`POST ${webhooks}/:id/repeat`]: () => ({
      path: `${webhooks}/${webhook.id}/repeat`,
      json: {},
    }),
    [`GET ${webhooks}/deliveries/:id`]: async () => ({
      path: `${webhooks}/deliveries/${await delivery()}`,
    }),
    [`POST ${webhooks}/deliveries/:id/repeat`]: async () => ({
      path: `${webhooks}/deliveries/${await delivery()}/repeat`,
    }),
    'POST /api/public/sign-up': () => ({ json: { email: newAddress() } }),
    'PUT /api/public/sign-up': async () => {
      const { token } = await begunSignUp(app, mailbox, newAddress())
      return { json: { token, ...profileOf(`made-${++made}`) } }
    },
    'POST /api/public/invitation': async () => ({
      json: { token: (await newInvitation()).token, ...profileOf(`made-${++made}`) },
    }),
    'GET /.well-known/change-password': () => ({ path: '/.well-known/change-password' }),
    'POST /api/public/verification': async () => ({ json: { token: await proofOfAddress() } }),
    'POST /api/public/reset': () => ({ json: { username: 'a stranger' } }),
    'PUT /api/public/reset': async () => {
      const { username } = await withAddress()
      const { body } = await app.call('POST', '/api/public/reset', { json: { username } })
      return { json: { token: await addresses.token(body.id), new_password: newPassword } }
    },
    'POST /api/public/sign-in-code': () => ({ json: { email: newAddress() } }),
    'PUT /api/public/sign-in-code': async () => {
      const { email } = await withAddress()
      const { body } = await app.call('POST', '/api/public/sign-in-code', { json: { email } })
      return { json: { token: await addresses.token(body.id), mode: 'token' } }
    },
    [`POST ${accounts}/:username/reset`]: async () => ({
      path: `${accounts}/${(await withAddress()).username}/reset`,
      json: {},
    }),
    'GET /api/authz/forward': () => ({ headers: forwarded() }),
    '* /api/authz/forward': () => ({ headers: forwarded() }),
    '* /api/authz/forward/*': () => ({ headers: forwarded({ uri: '/no/such' }) }),
    'GET /signin': () => ({ path: '/signin?again=1' }),
    'POST /signout': () => ({ form: {} }),
    'POST /account/email': (current_password) => ({
      form: { email: newAddress(), current_password },
    }),
    'GET /account/confirm': () => ({ path: '/account/confirm?for=email' }),
    'POST /account/confirm': (current_password) => ({
      path: '/account/confirm?for=email',
      form: { current_password },
    }),
    'POST /account/email/cancel': () => ({ form: {} }),
    'POST /account/language': () => ({ form: { language: 'de' } }),
    'POST /language': () => ({ form: { language: 'de', return_to: '/' } }),
    'GET /look/:version/:file': () => ({ path: '/look/0/look.css' }),
    'GET /.gatehouse/look/:version/:file': () => ({ path: '/.gatehouse/look/0/look.css' }),
    ...Object.fromEntries(
      ['/api/account', '/api/user/account'].flatMap((base) => [
        [
          `PUT ${base}/email`,
          (current_password: string) => ({ json: { email: newAddress(), current_password } }),
        ],
        [`PUT ${base}/language`, () => ({ json: { language: 'de' } })],
      ]),
    ),
    'POST /api/admin/import/accounts': () => {
      made += 1
      return { lines: ndjson([line(`made-${made}`)]) }
    },
    'POST /api/admin/tokens/revoke': async () => ({ json: { token: await app.token(app.admin) } }),
    'POST /api/admin/explain': () => ({ json: { token: 'none' } }),
    'GET /api/admin/explain/:id': async () => {
      const { headers } = await app.call('GET', '/no/such')
      return { path: `/api/admin/explain/${headers['x-request-id']}` }
    },
    'DELETE /api/admin/throttle/:username': () => ({ path: '/api/admin/throttle/nobody' }),
    'DELETE /api/admin/throttle/addresses/:address': () => ({
      path: '/api/admin/throttle/addresses/192.0.2.9',
    }),
    'POST /oauth/introspect': () => ({ form: { token: 'none' } }),
    'POST /oauth/revoke': () => ({ form: { token: 'none' } }),
    'POST /api/posts': () => ({ json: { title: 'A post' } }),
    'GET /api/posts/:id': async () => ({ path: `/api/posts/${await newPost()}` }),
    'PUT /api/posts/:id': async () => ({
      path: `/api/posts/${await newPost()}`,
      json: { title: 'B' },
    }),
    'DELETE /api/posts/:id': async () => ({ path: `/api/posts/${await newPost()}` }),
    ...Object.fromEntries(
      ['PUT', 'DELETE'].map((method) => [
        `${method} /api/admin/posts/:id/lock`,
        async () => ({ path: `/api/admin/posts/${await newPost()}/lock` }),
      ]),
    ),
  }

  async function statusOf(method: string, path: string, given: Right, headers: Headers) {
    const [type, body] =
      given.json !== undefined
        ? ['application/json', JSON.stringify(given.json)]
        : given.form
          ? ['application/x-www-form-urlencoded', new URLSearchParams(given.form).toString()]
          : given.lines !== undefined
            ? ['application/x-ndjson', given.lines]
            : []
    const answer = await fetch(`${url}${given.path ?? path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(type !== undefined && { 'content-type': type }),
        ...given.headers,
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
    await answer.arrayBuffer()
    return answer.status
  }

  for (const row of app.app.routes()) {
    const name = `${row.method} ${row.url}`
    if (Object.values(elsewhere).some((pattern) => pattern.test(name))) continue
    const method = row.method === '*' ? 'GET' : row.method
    const path = row.url.replace('/*', '/no/such')

    test(name, async () => {
      for (const caller of callersOf(contractRoles)) {
        const known = row.schemes === '-' ? [any] : row.schemes.split(',')
        const own = caller === 'client' ? ['client'] : schemes
        for (const scheme of caller === 'anonymous' ? [any] : own) {
          const isUser = caller !== 'anonymous' && caller !== 'client'
          const password = isUser ? someone[caller].password : ''
          const given = (await right[name]?.(password)) ?? {}
          const headers = isUser
            ? proof[caller][scheme as 'basic'] // of the list
            : caller === 'client'
              ? asClient('shop')
              : {}
          const isKnown = known.includes(scheme) || row.schemes === '-' || caller === 'anonymous'
          const printed = row.statuses[caller].split('/')[0]
          // A form has the token of the session in a field.
          const csrf_token = headers['x-csrf-token']
          const isPage = row.csrf === 'field' || name === 'POST /signout'
          const form = { ...given.form, ...(csrf_token !== undefined && { csrf_token }) }
          const sent = isPage ? { ...given, form } : given
          const status = await statusOf(method, path, sent, headers)
          assert.equal(String(status), isKnown ? printed : '401', `${caller} by ${scheme}`)
          // A login ends the session whose cookie comes with it.
          if (/^POST \/(log(in|out)|signout)$/.test(name) && isUser) await renew(caller)
        }
      }
    })
  }

  test('PUT /api/posts/:id of a locked post: the second status of ADMIN, and the owner as before', async () => {
    const path = `/api/posts/${await newPost()}`
    await app.call('PUT', `/api/admin${path.slice('/api'.length)}/lock`, { headers: admin })
    const row = app.app
      .routes()
      .find(({ method, url: at }) => `${method} ${at}` === 'PUT /api/posts/:id')
    for (const caller of ['USER', 'EDITOR', 'ADMIN', 'owner'] as const) {
      for (const scheme of schemes) {
        const status = await statusOf('PUT', path, { json: { title: 'C' } }, proof[caller][scheme])
        assert.equal(
          String(status),
          row?.statuses[caller].split('/').at(-1),
          `${caller} by ${scheme}`,
        )
      }
    }
  })

  test('what is left to other tests is what cannot be asked here', () => {
    const left = app.app
      .routes()
      .map(({ method, url: at }) => `${method} ${at}`)
      .filter((name) => Object.values(elsewhere).some((pattern) => pattern.test(name)))
    assert.equal(left.length, 59)
  })
})
