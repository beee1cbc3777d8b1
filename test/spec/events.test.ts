import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { sql } from 'kysely'
import { loadConfig } from '../../src/core/config/load.ts'
import { packageVersion } from '../../src/core/config/version.ts'
import { systemRandom } from '../../src/core/crypto/random.ts'
import { connect } from '../../src/core/database/connect.ts'
import { migrate } from '../../src/core/database/migrate.ts'
import type { EventType } from '../../src/core/events/types.ts'
import { settingsOfModules } from '../../src/core/module/settings.ts'
import { sensitiveRead } from '../../src/modules/audit/events.ts'
import { deviceCookieName } from '../../src/modules/devices/device-cookie.ts'
import { modules } from '../../src/modules.ts'
import { startService } from '../../tools/service.ts'
import { newKey, serviceAccount } from '../api-keys.ts'
import { type Call, type Someone, type TestApp, testApp } from '../app.ts'
import { lastNumber, type OpenedRecord, recordsAfter } from '../audit.ts'
import { verified } from '../audit-log.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import {
  application,
  asClient,
  ask as askAs,
  clientsFile,
  entry,
  writeClients,
} from '../clients.ts'
import { steppingClock } from '../clock.ts'
import { confirmationsOf } from '../confirmations.ts'
import { byItself, folder, passphrase } from '../copies.ts'
import { databaseSettings, heard, refuseChanges, testDatabase } from '../database.ts'
import { deletions, week } from '../deletion.ts'
import { mailboxes } from '../emails.ts'
import { eventTypes } from '../events.ts'
import { exampleEvents } from '../examples.ts'
import { enrol, enrolled } from '../factor.ts'
import { forwardFile, writeForward } from '../forward-file.ts'
import { atHosts, enter, hostsApp, wiki } from '../hosts.ts'
import { clientSecret, clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { doors, guess, newHost, tryTimes } from '../logins.ts'
import { addMail, servicesOf, verifyAddress } from '../mail.ts'
import { rotatingApp } from '../master-key-rotation.ts'
import { pageBrowser } from '../page-browser.ts'
import { assertionOf, withPasskey } from '../passkeys.ts'
import { seedPosts } from '../posts.ts'
import { profileFile, writeProfile } from '../profile-file.ts'
import { codeFor } from '../provider/pages.ts'
import { assertRefusal } from '../refusal.ts'
import { invited, mailboxOf, profileOf } from '../registration.ts'
import { startRelay } from '../relay.ts'
import { runJob } from '../statistics.ts'
import { testBrowser } from '../test-browser.ts'
import { localCertificate, tlsFolder } from '../tls-files.ts'
import { exportPath, importLines, line } from '../transfer.ts'
import { until } from '../until.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { deliveriesOf, sendUntil, setUp } from '../webhook-sending.ts'
import { addDeliveries, newWebhook, unheard, webhooks } from '../webhooks.ts'

type Told = Record<string, unknown>

interface Happened {
  /** All that was logged meanwhile. */
  readonly told: readonly Told[]
  /** The exact fields of the event; one that names an address names its request as well. */
  readonly fields: object
}

interface Row {
  readonly event: string
  readonly when: string
  readonly level: 'info' | 'warn' | 'error'
  /** Makes it happen, once. */
  readonly happen: () => Promise<Happened>
  /** The text of the line, where it has one. */
  readonly msg?: string
  /** Of one database alone; or in the log alone, because a primary process has no database. */
  readonly only?: 'postgres' | 'log'
}

const rowsOf =
  (level: Row['level']) =>
  (
    event: Row['event'],
    when: string,
    happen: Row['happen'],
    more: Pick<Row, 'msg' | 'only'> = {},
  ): Row => ({ event, when, level, happen, ...more })

const [info, warn, critical] = [rowsOf('info'), rowsOf('warn'), rowsOf('error')]
const exported = { what: 'account_export', hashes: false } as const

async function runAudit({ app: { jobs } }: TestApp): Promise<void> {
  await jobs.find(({ name }) => name === 'audit records')?.run()
}

const from = '198.51.100.7'
const other = 'harbour violet 88 anthem'

/** Every secret that a caller sends or gets: none of them may stand in a line of the log. */
const secrets = new Set<string>([passphrase, clientSecret, other])
/** The bodies of refusals, with the secrets that were known before each. */
const refusals: [body: string, secrets: readonly string[]][] = []
const secretFields =
  /^(password|current_password|new_password|token|access_token|refresh_token|csrf_token|secret|uri|totp|recovery_code|recovery_codes|password_hash|enrolment_token)$/

/** The same service, and its secrets are noted. */
async function jobOf({ app: { jobs } }: TestApp, wanted: string): Promise<void> {
  await jobs.find(({ name }) => name === wanted)?.run()
}

const verificationPath = '/api/admin/audit/verification'

function watched(app: TestApp): TestApp {
  const { call } = app
  const note = (value: unknown, isSecret = false): void => {
    if (typeof value === 'string') return void (isSecret && value !== '' && secrets.add(value))
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      note(inner, (isSecret && Array.isArray(value)) || secretFields.test(name))
    }
  }
  return Object.assign(app, {
    call: async (...[method, path, sent = {}]: Parameters<TestApp['call']>) => {
      note([sent.json, sent.form])
      const { authorization = '' } = sent.headers ?? {}
      note(String(authorization).split(' ')[1], true)
      const answer = await call(method, path, sent)
      if (answer.status >= 400) refusals.push([answer.text, [...secrets]])
      note(answer.body)
      note(Object.values(answer.cookies), true)
      return answer
    },
  } satisfies Pick<TestApp, 'call'>)
}

/** The records of the audit log that were made while these lines were logged. */
const recorded = new WeakMap<readonly Told[], readonly OpenedRecord[]>()

async function recordWaiting({ app }: TestApp): Promise<void> {
  await app.jobs.find(({ name }) => name === 'audit records')?.run()
}

/** The records of the database of another process, which has ended. */
async function recordsIn(
  dataDirectory: string,
  env: Record<string, string> = {},
): Promise<readonly OpenedRecord[]> {
  const settings = { NODE_ENV: 'test', DATA_DIR: dataDirectory, ...env }
  const config = loadConfig(settings, await settingsOfModules(modules))
  const { db } = connect({ ...config.database, synchronous: 'off' })
  try {
    return await recordsAfter({ config, db, random: systemRandom }, 0)
  } finally {
    await db.destroy()
  }
}

const linesOf = (output: string) =>
  output
    .split('\n')
    .filter((one) => one.startsWith('{'))
    .map((one): Told => JSON.parse(one))

const contextFields = ['event', 'by', 'address', 'scheme', 'request_id'] as const

/** Asserts that the log has one line of an event, and the audit log one record, which agree. */
function assertRecorded(
  type: EventType,
  told: readonly Told[],
  { fields, isOfChange }: { fields: Told; isOfChange: boolean },
): void {
  const records = (recorded.get(told) ?? []).filter((one) => one.type === type.name)
  assert.equal(records.length, 1, `${type.name}: ${JSON.stringify(records)}`)
  const [{ id, level, outcome, reason, request_id, facts, actor, target } = missing] = records
  const line = told.find(({ event }) => event === type.name)
  assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$/)
  assert.deepEqual([level, outcome], [type.level, type.outcome])
  assert.ok(reason === null || /^[a-z0-9_]+$/.test(reason))
  const { instance, version, status = null, ...more } = facts
  assert.equal(version, packageVersion())
  assert.match(String(instance), /\/[0-9]+$/)
  // Of an event of the process itself, `address` is its own.
  const isOfRequest = line?.request_id !== undefined
  assert.equal(request_id, line?.request_id ?? null)
  const payload = Object.entries(fields).filter(
    ([name]) => !(isOfRequest || name !== 'address' ? contextFields : []).includes(name as never),
  )
  const { typed, ...sealed } = target ?? {}
  // The name that was typed, if it is that of the account, is told to the audit log alone.
  const { username: named, ...unnamed } = sealed
  const shown = 'username' in fields ? sealed : unnamed
  if (named !== undefined) assert.equal(typeof fields.user_id, 'number')
  // What names the person goes with the key of the person, in the same transaction.
  if (type.name !== 'user_deleted') assert.deepEqual(shown, Object.fromEntries(payload))
  else assert.equal(target, null)
  if (typed !== undefined) assert.match(String(typed), /^[\w-]{43}$/)
  assert.equal(more.scheme, fields.scheme)
  if (!isOfRequest) return
  const { subject, address, user_agent, session, token, username } = actor ?? {}
  const isProven = type.outcome === 'success' && !ofStrangers.has(type.name)
  const ofLogin = isProven ? String(fields.user_id ?? '') : ''
  assert.equal(String(subject ?? ''), String(fields.by ?? ofLogin))
  assert.equal(address, fields.address)
  if (fields.address === from) assert.equal(user_agent, 'lightMyRequest')
  assert.match(String(more.method), /^[A-Z]+$/)
  assert.match(String(more.route), /^\//)
  // What a change records, or a request that goes on, is not yet answered.
  const isRefusal =
    type.outcome === 'failure' &&
    !['authn_login_lock', 'password_breach_query_fail'].includes(type.name)
  if (isRefusal && status !== null) assert.ok(Number(status) >= 400, String(status))
  if (isRefusal && !isOfChange) assert.notEqual(status, null)
  const isDigest = (value: unknown) => /^[\w-]{43}$/.test(String(value))
  if (fields.by !== undefined) {
    assert.equal(isDigest(session), fields.scheme === 'session')
    assert.equal(isDigest(token), fields.scheme === 'bearer')
    assert.equal(typeof username, 'string')
  }
  if (beginnings.has(type.name) && fields.by === undefined) {
    assert.equal(typeof username, 'string')
    assert.ok((more.factors as string[]).length > 0)
    assert.equal(isDigest(session), type.name === 'session_created')
    assert.equal(isDigest(token), type.name === 'authn_token_created')
  }
}

const missing = {} as OpenedRecord

function withoutUsername<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'username'))
}

/** What anyone may ask for an account: its owner has not acted. */
const ofStrangers = new Set(['email_login_requested', 'password_reset_requested'])

/** What a login begins with: the caller has no credential of the service yet. */
const beginnings = new Set([
  'authn_login_success',
  'authn_login_successafterfail',
  'authn_token_created',
  'session_created',
])

const withoutTime = ({ time, ...rest }: Told): Told => {
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  return rest
}

const byMail = { EMAIL_SIGN_IN: 'on', MAIL_REQUESTS_PER_CLIENT: '0' }

suite('every event, with its fields and its level', async () => {
  const clients = clientsFile([entry('shop')])
  const forward = forwardFile([{ hosts: ['wiki.example.org'], policy: 'one_factor' }])
  const profile = profileFile({})
  const files = { CLIENTS_FILE: clients, FORWARD_AUTH_FILE: forward, PROFILE_FILE: profile }
  const app = watched(await testApp({ ...files, ...byItself(), SIGN_UP: 'open', ...byMail }))
  const [mailbox, addresses] = [await mailboxOf(app), await mailboxes(app)]
  const admin = await app.bearer(app.admin)
  const idp = await identityProvider()
  const client = watched(await testApp(settingsFor(idp), { clock: clockOfToday() }))
  const by = String(app.admin.userId)
  const address = from
  const byAdmin = { by, address, scheme: 'bearer' }
  const byBrowser = { address: '127.0.0.1' }
  const ofWebhook = ({ id }: { readonly id: string }) => ({
    webhook: id,
    origin: new URL(unheard).origin,
  })
  const byOwner = ({ userId }: Pick<Someone, 'userId'>, scheme: 'bearer' | 'session') => ({
    by: String(userId),
    address,
    scheme,
  })
  const types = new Map((await eventTypes()).map((type) => [type.name, type]))
  let made = 0
  const someone = (more: object = {}) => app.account(`someone${++made}`, ['USER'], more)

  /** A service with a delivery that waits, whose receiver answers so. */
  async function refusedWebhook(status: number) {
    const on = watched(await testApp())
    const receiver = await startReceiver()
    receiver.answer = (_message, response) => void response.writeHead(status).end()
    const { id } = await setUp(on, receiver.url, ['user_created'])
    await on.account('ann')
    const send = (event: string) => sendUntil(on, () => on.log.some((line) => line.event === event))
    return { on, id, url: receiver.url, send }
  }

  /** What is logged while the work is done; what is recorded meanwhile is kept beside it. */
  /** A person who has let an application have a code. */
  async function withApplication() {
    const settings = { PROVIDER: 'on', CLIENTS_FILE: clientsFile([application('notes')]) }
    const on = watched(await testApp(settings))
    const who = await on.account('ann')
    return { on, who, headers: asClient('notes'), form: await codeFor(on, who) }
  }

  /** The last try to tell an application that answers so. */
  async function toldOfSignOut(status: number) {
    const receiver = await startReceiver()
    receiver.answer = (_, response) => void response.writeHead(status).end()
    const backchannel_logout_uri = `${receiver.url}/logout`
    const clients = [application('notes', { backchannel_logout_uri })]
    const settings = { PROVIDER: 'on', CLIENTS_FILE: clientsFile(clients) }
    const on = watched(await testApp(settings))
    const sid = 'one'
    const row = { sid, client: 'notes', session_id: 'gone', created_at: 1, attempts: 6 }
    await on.deps.db.insertInto('provider_logins').values(row).execute()
    const { told } = await during(on, () => runJob(on, 'sign-outs of applications'))
    receiver.close()
    return { told }
  }

  async function during<T>(on: TestApp, work: () => Promise<T>) {
    await recordWaiting(on)
    const [before, number] = [on.log.length, await lastNumber(on.deps)]
    const result = await work()
    const told = on.log.slice(before)
    await recordWaiting(on)
    recorded.set(told, await recordsAfter(on.deps, number))
    return { result, told }
  }

  /** A request that must succeed. */
  async function ask(
    headers: Record<string, string>,
    method: string,
    path: string,
    json?: unknown,
    on = app,
  ) {
    const sent = json === undefined ? {} : { json }
    const { result, told } = await during(on, () =>
      on.call(method, path, { headers, from, ...sent }),
    )
    assert.ok(result.status < 300, `${method} ${path}: ${result.status} ${result.text}`)
    return { body: result.body, told }
  }
  const administer = (method: string, path: string, json?: unknown) =>
    ask(admin, method, path, json)

  /** Has the log verified. */
  async function verification(on: TestApp) {
    const headers = on.basic(on.admin)
    const { id } = (await on.call('POST', verificationPath, { headers })).body
    const { told } = await during(on, () => jobOf(on, 'audit verification'))
    const { body } = await on.call('GET', verificationPath, { headers })
    return { id, told, records: body.last.records }
  }

  /** What a command tells on standard error. */
  async function command(words: string, more: Parameters<typeof gatehouse>[2] = {}, on = app) {
    const number = 'deps' in on ? await lastNumber(on.deps) : 0
    const { code, stdout, stderr } = await gatehouse(on.directory, `${words} --verbose`, {
      clock: on.clock,
      ...more,
    })
    assert.equal(code, 0, stderr)
    const told = linesOf(stderr)
    recorded.set(told, await recordsAfter(on.deps, number))
    return { told, stdout }
  }

  const invite = () =>
    administer('POST', '/api/admin/invitations', {
      email: `someone${++made}@example.org`,
      roles: ['USER'],
    })
  const verifiedOwner = async () => {
    const who = await someone()
    await verifyAddress(app, who, `${who.username}@example.org`)
    return who
  }
  /** Asks for the proof of another address; answers the token that is mailed there. */
  const askForProof = async (who: Someone) => {
    const headers = await app.session(who)
    const json = { email: `other.${who.username}@example.org`, current_password: who.password }
    const { told, body } = await ask(headers, 'PUT', '/api/account/email', json)
    return { headers, told, token: await addresses.token(body.id) }
  }
  const confirm = (token: string) => ask({}, 'POST', '/api/public/verification', { token })
  const accountFields = (who: Someone, more: object = {}) => ({
    user_id: who.userId,
    username: who.username,
    roles: ['USER'],
    locked: false,
    active: true,
    ...more,
  })
  const login = (who: Someone, mode: string, more: object = {}) =>
    during(app, () =>
      app.call('POST', '/login', {
        json: { username: who.username, password: who.password, mode, ...more },
        from,
      }),
    )
  /** What is told of a request that must be refused. */
  async function refused(status: number, method: string, path: string, sent: Call) {
    const { result, told } = await during(app, () => app.call(method, path, sent))
    assert.equal(result.status, status, result.text)
    return told
  }
  const denied = (reason: string, route: string, who: Someone, scheme: string) => ({
    ...{ error: 'accessDenied', reason, route },
    ...{ by: String(who.userId), address, scheme },
  })
  const uid = process.getuid?.() ?? null
  const newMail = () => administer('POST', '/api/admin/mail/test', { address: 'a@example.org' })
  /** A service with a mail server and a mail to an account, which is user 2. */
  const mailed = async (to: string) => {
    const refusals: Record<string, string> = {
      'refused@example.org': '554 5.7.1 No',
      'unknown@example.org': '550 5.1.1 No such user',
    }
    const relay = await startRelay({ onRecipient: (at) => refusals[at] })
    const on = watched(await testApp(relay.env))
    const ann = await on.account('ann')
    await verifyAddress(on, ann, to)
    const id = await addMail(on, await servicesOf(on), {
      message: 'new_sign_in',
      to: { userId: ann.userId },
      facts: { username: 'ann' },
      language: 'en',
    })
    const job = on.app.jobs.find(({ name }) => name === 'mail')
    return { on, id, send: async () => job?.run() }
  }

  const rows: readonly Row[] = [
    info('authn_login_success', 'an account logs in', async () => {
      const who = await someone()
      const { told } = await login(who, 'session')
      return { told, fields: { user_id: who.userId, address } }
    }),
    info('authn_login_successafterfail', 'an account logs in after two failures', async () => {
      const who = await someone()
      for (const host of [newHost(), newHost()]) await guess(app, who, host)
      const { told } = await login(who, 'token')
      assert.ok(!told.some(({ event }) => event === 'authn_login_success'))
      return { told, fields: { user_id: who.userId, failures: 2, address } }
    }),
    info('authn_login_new_device', 'an account logs in from another network', async () => {
      const who = await someone()
      await verifyAddress(app, who, `${who.username}@example.org`)
      await app.call('POST', '/login', {
        json: { username: who.username, password: who.password },
        from: newHost(),
      })
      const { told } = await login(who, 'session')
      return { told, fields: { user_id: who.userId, address } }
    }),
    info('mfa_device_remembered', 'the second factor is proved with the box', async () => {
      const { who, device } = await enrolled(app, `factor${++made}`)
      const browser = pageBrowser(app, { from, userAgent: 'lightMyRequest' })
      await browser.open('/signin')
      await browser.submit({ username: who.username, password: who.password })
      const fields = { totp: device.code(), remember_device: '1' }
      const { told } = await during(app, () => browser.submit(fields))
      return { told, fields: { user_id: who.userId, address } }
    }),
    info('mfa_device_used', 'a remembered device signs in by the password alone', async () => {
      const { who, device } = await enrolled(app, `factor${++made}`)
      const first = pageBrowser(app, { from })
      await first.open('/signin')
      await first.submit({ username: who.username, password: who.password })
      await first.submit({ totp: device.code(), remember_device: '1' })
      const browser = pageBrowser(app, { from, userAgent: 'lightMyRequest' })
      browser.cookies.set(deviceCookieName, first.cookies.get(deviceCookieName) ?? '')
      await browser.open('/signin')
      const fields = { username: who.username, password: who.password }
      const { told } = await during(app, () => browser.submit(fields))
      return { told, fields: { user_id: who.userId, address } }
    }),
    info('authn_login_success', 'a sign-in by a provider', async () => {
      const { told, result } = await signIn('ann-1')
      return { told, fields: { user_id: Number(result.user_id), ...byBrowser } }
    }),
    warn('authn_login_fail', 'the password is wrong', async () => {
      const who = await someone()
      const { told } = await during(app, () => guess(app, who, from))
      return { told, fields: { user_id: who.userId, address } }
    }),
    warn(
      'authn_login_fail',
      'the name is unknown, and is not told: it may be a password',
      async () => {
        const { told } = await during(app, () => guess(app, { username: other }, from))
        return { told, fields: { user_id: null, address } }
      },
    ),
    warn('authn_login_fail', 'Basic credentials are wrong', async () => {
      const who = { ...(await someone()), password: other }
      const { told } = await during(app, () => doors.Basic(app, who, { from }))
      return { told, fields: { user_id: who.userId, address } }
    }),
    warn('authn_login_fail', 'a sign-in by a provider fails', async () => {
      const { told } = await during(client, () =>
        client.call('GET', '/oauth/callback?code=hidden-code&state=hidden-state', { from }),
      )
      secrets.add('hidden-code').add('hidden-state')
      return { told, fields: { provider: 'default', reason: 'signInFailed', address } }
    }),
    warn('authn_login_fail_max', 'the limit of attempts is reached', async () => {
      const who = await someone()
      const host = newHost()
      await tryTimes(5, () => guess(app, who, host))
      const { told } = await during(app, () => guess(app, who, host))
      return { told, fields: { address: host } }
    }),
    warn('authn_login_lock', 'ten failures in a row lock an account', async () => {
      const who = await someone()
      for (let tries = 1; tries < 10; tries += 1) await guess(app, who, newHost())
      const { told } = await during(app, () => guess(app, who, from))
      return { told, fields: { user_id: who.userId, address } }
    }),
    info('authn_password_change', 'the owner changes it', async () => {
      const who = await someone()
      const json = { current_password: who.password, new_password: other }
      const headers = await app.bearer(who)
      const { told } = await ask(headers, 'PUT', '/api/account/password', json)
      return { told, fields: accountFields(who, byOwner(who, 'bearer')) }
    }),
    info('authn_password_change', 'one is due at the login', async () => {
      const who = await someone({ must_change: true })
      const { told, result } = await login(who, 'token', { new_password: other })
      assert.equal(result.status, 200)
      return { told, fields: accountFields(who, { address }) }
    }),
    info('authn_password_change', 'an administrator sets it', async () => {
      const who = await someone()
      const path = `/api/admin/accounts/${who.username}`
      const { told } = await administer('PUT', path, { password: other })
      return { told, fields: accountFields(who, byAdmin) }
    }),
    info('authn_password_change', 'an administrator resets it', async () => {
      const who = await someone()
      const path = `/api/admin/accounts/${who.username}/password`
      const { told } = await administer('POST', path)
      return { told, fields: accountFields(who, { ...byAdmin, what: 'reset' }) }
    }),
    info('authn_password_change', 'the command line sets it', async () => {
      const who = await someone()
      const words = `account password ${who.username} --password-stdin`
      const { told } = await command(words, { stdin: `${other}\n` })
      return { told, fields: accountFields(who, { by: 'cli' }) }
    }),
    warn('authn_password_change_fail', 'the present password is wrong', async () => {
      const who = await someone()
      const headers = await app.bearer(who)
      const json = { current_password: 'no password of mine', new_password: other }
      const { told, result } = await during(app, () =>
        app.call('PUT', '/api/account/password', { headers, json, from }),
      )
      assert.equal(result.status, 401)
      return { told, fields: { user_id: who.userId, ...byOwner(who, 'bearer') } }
    }),
    warn('authn_proof_fail', 'the password that confirms a change is wrong', async () => {
      const who = await someone()
      const headers = await app.bearer(who)
      const json = { current_password: 'no password of mine' }
      const { told, result } = await during(app, () =>
        app.call('POST', '/api/account/totp', { headers, json, from }),
      )
      assert.equal(result.status, 401)
      return { told, fields: { user_id: who.userId, ...byOwner(who, 'bearer') } }
    }),
    ...(['token', 'pair'] as const).map((mode) =>
      info('authn_token_created', `a login in mode ${mode}`, async () => {
        const who = await someone()
        const { told } = await login(who, mode)
        return { told, fields: { user_id: who.userId, grant: 'login', address } }
      }),
    ),
    info('authn_token_created', 'a token is refreshed', async () => {
      const who = await someone()
      const { refresh_token } = await app.pair(who)
      const { told } = await ask({}, 'POST', '/refresh', { refresh_token })
      return { told, fields: { user_id: who.userId, grant: 'refresh', address } }
    }),
    critical('authn_token_reuse', 'a refresh token that was replaced comes again', async () => {
      const rotating = watched(await testApp({ REFRESH_ROTATION: 'on' }))
      const { refresh_token } = await rotating.pair(rotating.admin)
      const use = () => rotating.call('POST', '/refresh', { form: { refresh_token } })
      await use()
      rotating.clock.advance(10)
      const { told } = await during(rotating, use)
      return {
        told,
        fields: { user_id: rotating.admin.userId, kind: 'refresh', ...byBrowser },
      }
    }),
    critical('authn_token_reuse', 'a refresh token that was revoked comes again', async () => {
      const who = await someone()
      const { refresh_token } = await app.pair(who)
      const form = { refresh_token }
      await app.call('POST', '/logout', { form })
      const told = await refused(401, 'POST', '/refresh', { form, from })
      return { told, fields: { user_id: who.userId, kind: 'refresh', address } }
    }),
    critical('authn_token_reuse', 'a bearer token that was revoked comes again', async () => {
      const who = await someone()
      const headers = await app.bearer(who)
      await app.call('POST', '/logout', { headers })
      const told = await refused(401, 'GET', '/api/me', { headers, from })
      return { told, fields: { user_id: who.userId, kind: 'access', address } }
    }),
    warn('application_token_reuse', 'a code of an application comes a second time', async () => {
      const { form, headers, on, who } = await withApplication()
      const use = () => on.call('POST', '/oauth/token', { headers, form, from })
      await use()
      const { told } = await during(on, use)
      return { told, fields: { user_id: who.userId, client: 'notes', address } }
    }),
    info(
      'application_logout_delivered',
      'a logout token is delivered to an application',
      async () => {
        const { told } = await toldOfSignOut(204)
        return { told, fields: { client: 'notes', by: 'job' } }
      },
    ),
    warn('application_logout_failed', 'an application fails for a day', async () => {
      const { told } = await toldOfSignOut(500)
      return { told, fields: { client: 'notes', fault: 'status 500', by: 'job' } }
    }),
    info('application_accesses_ended', 'a client is gone from the file', async () => {
      const file = clientsFile([application('notes')])
      const on = watched(await testApp({ PROVIDER: 'on', CLIENTS_FILE: file }))
      const { userId } = await on.account('ann')
      const consent = { user_id: userId, client: 'gone', scopes: 'openid', given_at: 1 }
      await on.deps.db.insertInto('provider_consents').values(consent).execute()
      await runJob(on, 'removed applications')
      on.clock.advance(600)
      const { told } = await during(on, () => runJob(on, 'removed applications'))
      return { told, fields: { client: 'gone', consents: 1, by: 'job' } }
    }),
    info('application_tokens_revoked', 'an application ends its tokens', async () => {
      const { form, headers, on, who } = await withApplication()
      const { body } = await on.call('POST', '/oauth/token', { headers, form })
      const token = { token: body.refresh_token }
      const { told } = await during(on, () =>
        on.call('POST', '/oauth/revoke', { headers, form: token, from }),
      )
      const by = { by: 'client:notes', scheme: 'client', address }
      return { told, fields: { user_id: who.userId, client: 'notes', ...by } }
    }),
    ...(['GET /api/me', 'GET /users'] as const).map((route) =>
      info('authn_token_fail', `a token with a forged signature: ${route}`, async () => {
        const token = await app.token(await someone())
        const forged = `${token.slice(0, -4)}AAAA`
        secrets.add(forged)
        const [method = '', path = ''] = route.split(' ')
        const headers = { authorization: `Bearer ${forged}` }
        const told = await refused(401, method, path, { headers, from })
        const error = path === '/users' ? 'invalidOrExpiredToken' : 'invalidToken'
        const reason = 'token_bad_signature'
        return { told, fields: { error, reason, route: path, address } }
      }),
    ),
    info('authn_token_fail', 'a refresh token that is none', async () => {
      const form = { refresh_token: other }
      const told = await refused(401, 'POST', '/refresh', { form, from })
      const fields = { error: 'invalidRefreshToken', reason: 'token_malformed', route: '/refresh' }
      return { told, fields: { ...fields, address } }
    }),
    critical('authz_fail', 'a caller lacks the role', async () => {
      const who = await someone()
      const headers = await app.bearer(who)
      const told = await refused(403, 'GET', '/api/admin/accounts', { headers, from })
      return { told, fields: denied('role_lacking', '/api/admin/accounts', who, 'bearer') }
    }),
    critical('authz_fail', 'a client may not do this', async () => {
      const headers = asClient('shop')
      const narrow = watched(
        await testApp({ CLIENTS_FILE: clientsFile([entry('shop', { may: ['introspect'] })]) }),
      )
      const { told } = await during(narrow, () =>
        askAs(narrow, 'revoke', 'no token at all', { headers, from }),
      )
      return {
        told,
        fields: {
          ...{ error: 'unauthorizedClient', reason: 'client_permission_lacking' },
          ...{ route: '/oauth/revoke', by: 'client:shop', address, scheme: 'client' },
        },
      }
    }),
    critical('malicious_direct_reference', 'a caller changes the row of another user', async () => {
      const [who, another] = [await someone(), await someone()]
      const headers = await app.bearer(who)
      const json = { name: 'Mine' }
      const told = await refused(403, 'PUT', `/users/${another.userId}`, { headers, json, from })
      return { told, fields: denied('resource_rule', '/users/:id', who, 'bearer') }
    }),
    critical('malicious_csrf', 'a change of a session has the token of none', async () => {
      const who = await someone()
      const { cookie } = await app.session(who)
      const headers = { cookie, 'x-csrf-token': other }
      const told = await refused(403, 'POST', '/api/transfer', { headers, from })
      return {
        told,
        fields: {
          ...denied('csrf_token_other', '/api/transfer', who, 'session'),
          error: 'csrfTokenInvalid',
        },
      }
    }),
    critical('malicious_cors', 'a page of another site logs in', async () => {
      const { username, password } = await someone()
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      const sent = { headers, form: { username, password }, from }
      const told = await refused(403, 'POST', '/login', sent)
      const fields = { error: 'accessDenied', reason: 'foreign_page', route: '/login', address }
      return { told, fields }
    }),
    critical('malicious_cors', 'a page of another site sends Basic credentials', async () => {
      const who = await someone()
      const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      const headers = { ...app.basic(who), ...foreign }
      const told = await refused(403, 'PUT', '/api/account/password', { headers, json: {}, from })
      const route = '/api/account/password'
      return { told, fields: denied('cross_site_request', route, who, 'basic') }
    }),
    warn(
      'input_validation_fail',
      'fields break their rules, whose values are not told',
      async () => {
        const json = { name: other, email: other }
        const told = await refused(400, 'POST', '/users', { headers: admin, json, from })
        const fields = { error: 'validationFailed', reason: 'schema_violated', route: '/users' }
        return { told, fields: { ...fields, fields: ['email'], ...byAdmin } }
      },
    ),
    warn('input_validation_fail', 'a body is no JSON', async () => {
      const headers = { ...admin, 'content-type': 'application/json' }
      const told = await refused(400, 'POST', '/users', { headers, body: `{${other}`, from })
      const fields = { error: 'invalidBody', reason: 'body_not_json', route: '/users' }
      return { told, fields: { ...fields, ...byAdmin } }
    }),
    warn('input_validation_fail', 'a body is too large', async () => {
      const form = { username: 'x'.repeat(20_000) }
      const told = await refused(413, 'POST', '/login', { form, from })
      const fields = { error: 'bodyTooLarge', reason: 'body_too_large', route: '/login', address }
      return { told, fields }
    }),
    info('sequence_fail', 'a code is due at the login', async () => {
      const { who } = await enrolled(app, `factor${++made}`)
      const { told, result } = await login(who, 'token')
      assert.equal(result.status, 401)
      const fields = { error: 'secondFactorRequired', reason: 'second_factor_absent' }
      return { told, fields: { ...fields, route: '/login', address } }
    }),
    info('sequence_fail', 'a new password is due at the login', async () => {
      const { told, result } = await login(await someone({ must_change: true }), 'token')
      assert.equal(result.status, 403)
      const fields = { error: 'passwordChangeRequired', reason: 'password_change_absent' }
      return { told, fields: { ...fields, route: '/login', address } }
    }),
    info('sequence_fail', 'a session whose account must enrol is used elsewhere', async () => {
      const who = await someone()
      const { cookie } = await app.session(who)
      const env = { REQUIRE_SECOND_FACTOR: 'USER' }
      const strict = watched(await testApp(env, { directory: app.directory, clock: app.clock }))
      const request = () => strict.call('GET', '/api/account', { headers: { cookie }, from })
      const { told, result } = await during(strict, request)
      assertRefusal(result, 401, 'Authentication required')
      const reason = 'session_must_enrol'
      const route = '/api/account'
      return { told, fields: { error: 'authenticationRequired', reason, route, address } }
    }),
    info('sequence_fail', 'the login is too long ago', async () => {
      const old = watched(await testApp({ REAUTHENTICATE_SECONDS: '60' }))
      const headers = await old.bearer(old.admin)
      old.clock.advance(61)
      const json = { current_password: old.admin.password, new_password: other }
      const { told, result } = await during(old, () =>
        old.call('PUT', '/api/account/password', { headers, json, from }),
      )
      assert.equal(result.status, 401)
      const fields = { error: 'recentLoginRequired', reason: 'login_too_old' }
      return { told, fields: { ...fields, route: '/api/account/password', ...byAdmin } }
    }),
    info('authn_token_revoked', 'a bearer logs out', async () => {
      const who = await someone()
      const { told } = await ask(await app.bearer(who), 'POST', '/logout')
      return { told, fields: { user_id: who.userId, reason: 'logout', address } }
    }),
    info('authn_token_revoked', 'an administrator ends a token', async () => {
      const who = await someone()
      const token = await app.token(who)
      const { told } = await administer('POST', '/api/admin/tokens/revoke', { token })
      return { told, fields: { ...byAdmin, user_id: who.userId, reason: 'administrator' } }
    }),
    info('authn_token_revoked', 'a client ends a token', async () => {
      const who = await someone()
      const token = await app.token(who)
      const { told } = await during(app, () => askAs(app, 'revoke', token, { from }))
      const byClient = { by: 'client:shop', address, scheme: 'client' }
      return { told, fields: { user_id: who.userId, reason: 'client', ...byClient } }
    }),
    warn('authn_client_fail', 'the secret of a client is wrong', async () => {
      const headers = asClient('shop', 'wrong')
      const { told } = await during(app, () =>
        askAs(app, 'introspect', 'no token at all', { headers, from }),
      )
      return { told, fields: { client: 'shop', address } }
    }),
    warn('authn_client_fail', 'no client has the id, which may be a secret', async () => {
      const headers = asClient(other)
      const { told } = await during(app, () =>
        askAs(app, 'introspect', 'no token at all', { headers, from }),
      )
      return { told, fields: { client: null, address } }
    }),
    warn('authn_client_fail_max', 'the limit of wrong secrets is reached', async () => {
      const headers = asClient('shop', 'wrong')
      const tried = () =>
        askAs(app, 'introspect', 'no token at all', { headers, from: '198.51.100.8' })
      for (let n = 0; n < 5; n += 1) await tried()
      const { told } = await during(app, tried)
      return { told, fields: { address: '198.51.100.8' } }
    }),
    info('sys_clients_changed', 'a changed file of clients is taken up', async () => {
      const job = app.app.jobs.find(({ name }) => name === 'clients file')
      writeClients(clients, [entry('shop'), entry('other')])
      const { told } = await during(app, async () => job?.run())
      return { told, fields: { clients: ['shop', 'other'], by: 'job' } }
    }),
    info('sys_forward_rules_changed', 'a changed file of rules is taken up', async () => {
      const job = app.app.jobs.find(({ name }) => name === 'forward file')
      writeForward(forward, [])
      const { told } = await during(app, async () => job?.run())
      return { told, fields: { rules: 0, by: 'job' } }
    }),
    critical('sys_forward_rules_broken', 'a changed file of rules has mistakes', async () => {
      const job = app.app.jobs.find(({ name }) => name === 'forward file')
      writeForward(forward, '{')
      const { told } = await during(app, async () => job?.run())
      return { told, fields: { mistakes: 1, rules: 0, by: 'job' } }
    }),
    info('sys_profile_file_changed', 'a changed file of profile fields is taken up', async () => {
      const job = app.app.jobs.find(({ name }) => name === 'profile file')
      writeProfile(profile, { properties: { team: { type: 'string' } } })
      const { told } = await during(app, async () => job?.run())
      return { told, fields: { fields: 1, by: 'job' } }
    }),
    critical('sys_profile_file_broken', 'a changed file of fields has mistakes', async () => {
      const job = app.app.jobs.find(({ name }) => name === 'profile file')
      writeProfile(profile, '{')
      const { told } = await during(app, async () => job?.run())
      return { told, fields: { mistakes: 1, fields: 1, by: 'job' } }
    }),
    info('authz_admin', 'a change of the password is asked for', async () => {
      const who = await someone()
      const path = `/api/admin/accounts/${who.username}`
      const { told } = await administer('PUT', path, { must_change: true })
      return { told, fields: accountFields(who, { ...byAdmin, what: 'must_change' }) }
    }),
    info('authz_admin', 'an account is deleted, and its user stays', async () => {
      const who = await someone()
      const { told } = await administer('DELETE', `/api/admin/accounts/${who.username}`)
      return { told, fields: accountFields(who, { ...byAdmin, what: 'account_deleted' }) }
    }),
    info('authz_admin', 'the failed attempts of an account are forgotten', async () => {
      const who = await someone()
      await guess(app, who, newHost())
      const { told } = await administer('DELETE', `/api/admin/throttle/${who.username}`)
      return { told, fields: { user_id: who.userId, ...byAdmin, what: 'throttle_cleared' } }
    }),
    info('authz_admin', 'the failed attempts of an address are forgotten', async () => {
      const { told } = await administer('DELETE', '/api/admin/throttle/addresses/2001:db8::7')
      const what = 'throttle_address_cleared'
      return { told, fields: { user_id: null, ...byAdmin, what, network: '2001:db8:0:0::/64' } }
    }),
    info('webhook_created', 'an endpoint is made', async () => {
      const json = { url: `${unheard}?key=x`, events: ['user_*'] }
      const { told, body } = await administer('POST', webhooks, json)
      const fields = { ...ofWebhook(body), events: ['user_*'], content: 'ids', state: 'enabled' }
      return { told, fields: { ...fields, ...byAdmin } }
    }),
    info('webhook_changed', 'an endpoint is disabled, and gets more', async () => {
      const made = await newWebhook(app, {}, admin)
      const json = { state: 'disabled', content: 'full' }
      const { told } = await administer('PUT', `${webhooks}/${made.id}`, json)
      const changed = ['content', 'state']
      return { told, fields: { ...ofWebhook(made), events: ['*'], ...json, changed, ...byAdmin } }
    }),
    info('webhook_secret_rotated', 'an endpoint gets a new secret', async () => {
      const made = await newWebhook(app, {}, admin)
      const { told } = await administer('POST', `${webhooks}/${made.id}/secret`)
      const previous_until = app.clock.now() + 86_400_000
      return { told, fields: { ...ofWebhook(made), previous_until, ...byAdmin } }
    }),
    info('webhook_removed', 'an endpoint is removed', async () => {
      const made = await newWebhook(app, {}, admin)
      const { told } = await administer('DELETE', `${webhooks}/${made.id}`)
      return { told, fields: { ...ofWebhook(made), ...byAdmin } }
    }),
    info('webhook_tested', 'a test message is asked for', async () => {
      const { id } = await newWebhook(app, {}, admin)
      const { told, body } = await administer('POST', `${webhooks}/${id}/test`)
      return { told, fields: { webhook: id, message: body.message, ...byAdmin } }
    }),
    info('webhook_deliveries_repeated', 'deliveries are to be sent again', async () => {
      const { id } = await newWebhook(app, {}, admin)
      await addDeliveries(app, id, [
        { state: 'failed' },
        { state: 'delivered' },
        { state: 'failed' },
      ])
      const { told } = await administer('POST', `${webhooks}/${id}/repeat`, {})
      return { told, fields: { webhook: id, deliveries: 2, ...byAdmin } }
    }),
    critical('webhook_disabled', 'an endpoint says that it is gone', async () => {
      const { on, id, url, send } = await refusedWebhook(410)
      const { told } = await during(on, () => send('webhook_disabled'))
      const facts = { webhook: id, origin: url, reason: 'gone', failing_since: on.clock.now() }
      return { told, fields: { ...facts, by: 'job' } }
    }),
    warn('webhook_delivery_failed', 'a message is refused for the last time', async () => {
      const { on, id, send } = await refusedWebhook(400)
      await sendUntil(on, async () => (await deliveriesOf(on))[0]?.attempts === 1)
      const [message] = await deliveriesOf(on)
      await on.deps.db.updateTable('webhook_deliveries').set({ attempts: 9 }).execute()
      on.clock.advance(5)
      const { told } = await during(on, () => send('webhook_delivery_failed'))
      const facts = { webhook: id, message: message?.message, type: 'user_created' }
      return { told, fields: { ...facts, status: 400, detail: 'answered 400', by: 'job' } }
    }),
    info('mail_tested', 'a test mail is asked for', async () => {
      const { told, body } = await newMail()
      return { told, fields: { mail: body.id, ...byAdmin } }
    }),
    info('mail_resent', 'a mail is to be sent at once', async () => {
      const { id } = (await newMail()).body
      const { told } = await administer('POST', `/api/admin/mail/${id}/resend`)
      return { told, fields: { mail: id, message: 'test', user_id: null, ...byAdmin } }
    }),
    info('mail_cancelled', 'a mail is withdrawn', async () => {
      const { id } = (await newMail()).body
      const { told } = await administer('DELETE', `/api/admin/mail/${id}`)
      return { told, fields: { mail: id, message: 'test', user_id: null, ...byAdmin } }
    }),
    info('mail_sent', 'the mail server takes a mail', async () => {
      const { on, id, send } = await mailed('ann@example.org')
      const { told } = await during(on, send)
      return { told, fields: { mail: id, message: 'new_sign_in', user_id: 2, by: 'job' } }
    }),
    warn('mail_failed', 'the mail server refuses a mail', async () => {
      const { on, id, send } = await mailed('refused@example.org')
      const { told } = await during(on, send)
      const answer = '554 5.7.1 No'
      return { told, fields: { mail: id, message: 'new_sign_in', user_id: 2, answer, by: 'job' } }
    }),
    warn('mail_expired', 'a mail is not sent before it ends', async () => {
      const { on, id } = await mailed('ann@example.org')
      on.clock.advance(3 * 86_400)
      const expire = on.app.jobs.find(({ name }) => name === 'expired mail')
      const { told } = await during(on, async () => expire?.run())
      return { told, fields: { mail: id, message: 'new_sign_in', user_id: 2, by: 'job' } }
    }),
    warn('mail_address_undeliverable', 'the mail server knows no such mailbox', async () => {
      const { on, send } = await mailed('unknown@example.org')
      const { told } = await during(on, send)
      return { told, fields: { user_id: 2, answer: '550 5.1.1 No such user', by: 'job' } }
    }),
    info('backup_made', 'gatehouse backup', async () => {
      const file = join(folder(), 'copy')
      const { told, stdout } = await command(`backup ${file}`, { stdin: `${passphrase}\n` })
      const sha256 = /SHA-256 is ([0-9a-f]{64})/.exec(stdout)?.[1]
      return { told, fields: { file, sha256, keys: true, by: 'cli', uid } }
    }),
    info('audit_verification_requested', 'an administrator has the log verified', async () => {
      const { told, body } = await administer('POST', verificationPath)
      return { told, fields: { verification: body.id, ...byAdmin } }
    }),
    info('audit_verified', 'nothing in the log was changed', async () => {
      const own = watched(await testApp(byItself()))
      const { id, told, records } = await verification(own)
      return { told, fields: { verification: id, records, checkpoints: 0, by: 'job' } }
    }),
    critical('audit_integrity_failed', 'a record was changed', async () => {
      const own = watched(await testApp(byItself()))
      const change = { type: 'session_created' }
      await own.deps.db.updateTable('audit_records').set(change).where('number', '=', 1).execute()
      const { id, told } = await verification(own)
      const first =
        'the record is not what was written at this place: it was changed, swapped or inserted'
      return { told, fields: { verification: id, problems: 1, first, by: 'job' } }
    }),
    info('audit_keys_erased', 'a user was removed, and the keys were left', async () => {
      const own = watched(await testApp(byItself()))
      const { userId } = await own.account('ina')
      await own.deps.db.deleteFrom('users').where('id', '=', userId).execute()
      own.clock.advance(2 * 86_400)
      const { told } = await during(own, () => jobOf(own, 'keys of users who are gone'))
      return { told, fields: { keys: 1, by: 'job' } }
    }),
    info('audit_erasures_counted', 'the service starts for the first time', async () => {
      const own = watched(await testApp(byItself()))
      const { told } = await during(own, () => jobOf(own, 'erasures from before their lists'))
      return { told, fields: { erasures: 0, by: 'job' } }
    }),
    warn('audit_not_verified', 'its node is gone, as the one before', async () => {
      const own = watched(await testApp(byItself()))
      const headers = own.basic(own.admin)
      const { id } = (await own.call('POST', verificationPath, { headers })).body
      const detail = 'the node auth-2 ended before the log was verified'
      const gone = {
        state: 'running',
        node: 'auth-2',
        started_at: 1,
        locked_until: 1,
        detail,
      } as const
      await own.deps.db.updateTable('audit_verifications').set(gone).execute()
      const { told } = await during(own, () => jobOf(own, 'audit verification'))
      return { told, fields: { verification: id, detail, by: 'job' } }
    }),
    info('backup_requested', 'an administrator has a backup made now', async () => {
      const { told, body } = await administer('POST', '/api/admin/backups')
      return { told, fields: { run: body.id, ...byAdmin } }
    }),
    info('backup_removed', 'an older one is removed after a new one', async () => {
      const BACKUP_DIR = folder()
      const own = watched(await testApp({ ...byItself(), BACKUP_DIR, BACKUP_KEEP: '1' }))
      await jobOf(own, 'backups')
      const [file] = readdirSync(BACKUP_DIR)
      await own.call('POST', '/api/admin/backups', { headers: own.basic(own.admin) })
      const { told } = await during(own, () => jobOf(own, 'backups'))
      return {
        told,
        fields: { file, by: 'job' },
      }
    }),
    critical('backup_failed', 'a backup is not made', async () => {
      const BACKUP_DIR = join(folder(), 'gone')
      const own = watched(await testApp({ ...byItself(), BACKUP_DIR }))
      const { told } = await during(own, () => jobOf(own, 'backups'))
      const detail = `BACKUP_DIR is not there: is its disk mounted? (ENOENT: no such file or directory, realpath '${BACKUP_DIR}')`
      return { told, fields: { detail, attempts: 1, by: 'job' } }
    }),
    info('backup_restored', 'gatehouse restore', async () => {
      const file = join(folder(), 'copy')
      const stdin = `${passphrase}\n`
      await command(`backup ${file}`, { stdin })
      const directory = folder()
      const env = await databaseSettings(directory, { isEmpty: true })
      const { told, stdout } = await command(
        `restore ${file}`,
        { stdin, env },
        { ...app, directory },
      )
      recorded.set(told, await recordsIn(directory, env))
      const created_at = /restored as of (\S+):/.exec(stdout)?.[1]
      const users = (await app.rows()).users?.length
      const fields = { file, created_at, users, logins_kept: false, verified: true, by: 'cli', uid }
      return { told, fields }
    }),
    info(
      'database_moved',
      'gatehouse move',
      async () => {
        const directory = folder()
        const { db } = connect({ dataDirectory: directory, timeoutMs: 2000, synchronous: 'off' })
        await migrate(db, app.clock)
        await db.destroy()
        const { DATABASE_URL: url = '' } = await databaseSettings(folder(), { isEmpty: true })
        const { host, pathname } = new URL(url)
        const env = { DATA_DIR: directory, DATABASE_URL: '', MASTER_KEY: '' }
        const { told } = await command(`move --to ${url}`, { env }, { ...app, directory })
        const MASTER_KEY = readFileSync(join(directory, 'master.key'), 'utf8').trim()
        recorded.set(told, await recordsIn(directory, { DATABASE_URL: url, MASTER_KEY }))
        const { to } = told.find(({ event }) => event === 'database_moved') ?? {}
        assert.ok(String(to).includes(pathname.slice(1)) && host !== '', String(to))
        return { told, fields: { to, users: 0, by: 'cli', uid } }
      },
      { only: 'postgres' },
    ),
    warn('password_breach_query_fail', 'the range query has no answer', async () => {
      const fetch = () => Promise.reject(new TypeError('fetch failed'))
      const asking = await testApp(
        { PASSWORD_BREACH_URL: 'https://p.example' },
        { deps: { fetch } },
      )
      const { told } = await during(watched(asking), async () => {
        await asking.account('ann')
        asking.clock.advance(1) // its request was not refused: nothing tells when it was answered
      })
      return { told, fields: { reason: 'fetch failed', ...byBrowser, by: '1', scheme: 'basic' } }
    }),
    info('email_verification_requested', 'the owner asks for the proof of an address', async () => {
      const who = await someone()
      const { told } = await askForProof(who)
      return { told, fields: { user_id: who.userId, change: false, ...byOwner(who, 'session') } }
    }),
    info('email_verification_requested', 'the owner asks for another address', async () => {
      const who = await verifiedOwner()
      const { told } = await askForProof(who)
      return { told, fields: { user_id: who.userId, change: true, ...byOwner(who, 'session') } }
    }),
    info('email_verification_cancelled', 'the owner gives up the address that waits', async () => {
      const who = await someone()
      const { headers } = await askForProof(who)
      const { told } = await ask(headers, 'DELETE', '/api/account/email')
      return { told, fields: { user_id: who.userId, ...byOwner(who, 'session') } }
    }),
    info('email_verified', 'the link of the first address', async () => {
      const who = await someone()
      const { token } = await askForProof(who)
      const { told } = await confirm(token)
      return { told, fields: { user_id: who.userId, address } }
    }),
    info('email_changed', 'the link of another address', async () => {
      const who = await verifiedOwner()
      const { token } = await askForProof(who)
      const { told } = await confirm(token)
      return { told, fields: { user_id: who.userId, address } }
    }),
    info('email_restored', 'the way back to the address before', async () => {
      const who = await verifiedOwner()
      app.clock.advance(1) // the password was set before the change
      const { token } = await askForProof(who)
      await confirm(token)
      const [back = ''] = await addresses.waysBack(who)
      const { told } = await confirm(back)
      return { told, fields: { user_id: who.userId, password_removed: false, address } }
    }),
    info('account_deletion_requested', 'the owner deletes the account, which waits', async () => {
      const who = await verifiedOwner()
      await (await deletions(app)).pass(0)
      const headers = await app.session(who)
      const json = { username: who.username, current_password: who.password }
      const { told } = await ask(headers, 'DELETE', '/api/account', json)
      const deletion_at = new Date(app.clock.now() + week * 1000).toISOString()
      return { told, fields: accountFields(who, { deletion_at, ...byOwner(who, 'session') }) }
    }),
    info('account_deletion_cancelled', 'the link of the mail takes that back', async () => {
      const who = await verifiedOwner()
      const { back, leave, pass } = await deletions(app)
      await pass(0)
      const token = await leave(who)
      const { told } = await during(app, () => back(token, other, {}, from))
      return { told, fields: { user_id: who.userId, address } }
    }),
    info('email_removed', 'an administrator removes it', async () => {
      const who = await verifiedOwner()
      const path = `/api/admin/accounts/${who.username}/email`
      const { told } = await administer('DELETE', path)
      return { told, fields: { user_id: who.userId, ...byAdmin } }
    }),
    info('language_changed', 'the owner chooses one', async () => {
      const who = await someone()
      const headers = await app.session(who)
      const { told } = await ask(headers, 'PUT', '/api/account/language', { language: 'de' })
      return {
        told,
        fields: { user_id: who.userId, language: 'de', ...byOwner(who, 'session') },
      }
    }),
    info('email_login_requested', 'a link is mailed that signs in', async () => {
      const who = await verifiedOwner()
      const json = { email: `${who.username}@example.org` }
      const { told } = await ask({}, 'POST', '/api/public/sign-in-code', json)
      return { told, fields: { user_id: who.userId, address } }
    }),
    info('email_login_requested', 'no account has the address', async () => {
      const json = { email: 'stranger@example.org' }
      const { told } = await ask({}, 'POST', '/api/public/sign-in-code', json)
      return { told, fields: { user_id: null, address } }
    }),
    info('sign_up_requested', 'a visitor asks for an account', async () => {
      const json = { email: 'visitor@example.org' }
      const { told } = await ask({}, 'POST', '/api/public/sign-up', json)
      return { told, fields: { is_taken: false, address } }
    }),
    info('invitation_created', 'an administrator invites a person', async () => {
      const { told, body } = await invite()
      return { told, fields: { invitation: body.id, roles: ['USER'], ...byAdmin } }
    }),
    info('invitation_resent', 'the invitation is mailed again', async () => {
      const { id } = (await invite()).body
      const { told } = await administer('POST', `/api/admin/invitations/${id}/resend`)
      return { told, fields: { invitation: id, roles: ['USER'], ...byAdmin } }
    }),
    info('invitation_revoked', 'the invitation is withdrawn', async () => {
      const { id } = (await invite()).body
      const { told } = await administer('DELETE', `/api/admin/invitations/${id}`)
      const reason = 'revoked'
      return { told, fields: { invitation: id, roles: ['USER'], reason, ...byAdmin } }
    }),
    info('invitation_accepted', 'the person makes the account', async () => {
      const { id, token } = await invited(app, mailbox, {
        email: `someone${++made}@example.org`,
        roles: ['USER'],
      })
      const json = { token, ...profileOf(`someone${made}`) }
      const { told, body } = await ask({}, 'POST', '/api/public/invitation', json)
      const fields = { invitation: id, roles: ['USER'], user_id: body.user_id, address }
      return { told, fields }
    }),
    info('identity_linked', 'an account links an identity', async () => {
      const { who, told } = await link('linker')
      return { told, fields: { user_id: who.userId, issuer: idp.issuer, ...byBrowser } }
    }),
    info('identity_unlinked', 'it takes it away again', async () => {
      const { who, headers } = await link('unlinker')
      const [identity] = (await ask(headers, 'GET', '/api/account/identities', undefined, client))
        .body
      const path = `/api/account/identities/${identity.id}`
      const json = { current_password: who.password }
      const { told } = await ask(headers, 'DELETE', path, json, client)
      return {
        told,
        fields: {
          ...{ user_id: who.userId, identity: identity.id, issuer: idp.issuer },
          ...byOwner(who, 'session'),
        },
      }
    }),
    warn('identity_provider_fail', 'the provider cannot be asked', async () => {
      const fetch = () => Promise.reject(new TypeError('fetch failed'))
      const discovery = `${idp.issuer}/.well-known/openid-configuration`
      const lonely = await testApp(settingsFor(idp), { clock: clockOfToday(), deps: { fetch } })
      const { told, result } = await during(lonely, () => lonely.call('GET', '/oauth/login'))
      assert.equal(result.status, 503)
      return { told, fields: { provider: 'default', reason: `${discovery}: fetch failed` } }
    }),
    info('key_rotated', 'gatehouse keys rotate', async () => {
      const { told, stdout } = await command('keys rotate --json')
      const { signs: kid, signs_from, purpose } = JSON.parse(stdout)
      assert.equal(Date.parse(signs_from), app.clock.now() + 600_000)
      return { told, fields: { kid, purpose, signs_from, by: 'cli' } }
    }),
    info('key_rotated', 'a key has reached KEY_ROTATION_DAYS', async () => {
      const auto = await testApp({ KEY_ROTATION_DAYS: '30' })
      auto.clock.advance(30 * 86_400 - 1)
      // The other key is young then, so that there is one event.
      const { clock } = auto
      assert.equal((await gatehouse(auto.directory, 'keys rotate --refresh', { clock })).code, 0)
      auto.clock.advance(1)
      const job = auto.app.jobs.find(({ name }) => name === 'key rotation')
      const { told } = await during(auto, async () => job?.run())
      const { keys = [] } = await auto.rows()
      const signing = keys.filter(
        (key) => (key as Told).usage === 'signing' && (key as Told).retired_at === null,
      )
      const signs_from = new Date(auto.clock.now() + 600_000).toISOString()
      const kid = (signing[0] as Told).id
      return { told, fields: { kid, purpose: 'signing', signs_from, by: 'job' } }
    }),
    info('master_key_rotated', 'gatehouse keys rotate-master', async () => {
      const { env, ...turning } = await rotatingApp()
      const clock = steppingClock(turning.clock)
      const words = 'keys rotate-master --json'
      const { told, stdout } = await command(words, { env, clock }, turning)
      const { before, next: key } = JSON.parse(stdout)
      return { told, fields: { before, key, by: 'cli' } }
    }),
    info('key_retired', 'gatehouse keys retire', async () => {
      const now = { clock: steppingClock(app.clock) }
      await command('keys rotate --now', now) // the tokens of these tests stay valid
      const { verifies: kid } = JSON.parse((await command('keys rotate --now --json', now)).stdout)
      const { told } = await command(`keys retire ${kid}`)
      return { told, fields: { kid, by: 'cli' } }
    }),
    info('mfa_enrolled', 'the first code confirms an enrolment', async () => {
      const who = await someone()
      const headers = await app.session(who)
      const { told } = await during(app, () => enrol(app, headers))
      return { told, fields: { user_id: who.userId, ...byOwner(who, 'session'), ...byBrowser } }
    }),
    warn('mfa_fail', 'a code is wrong at the login', async () => {
      const { who } = await enrolled(app, `factor${++made}`)
      const { told, result } = await login(who, 'token', { totp: 'abcdef' })
      assert.equal(result.status, 401)
      return { told, fields: { user_id: who.userId, address } }
    }),
    warn(
      'passkey_counter_back',
      'the counter of a passkey of one device does not rise',
      async () => {
        const kind = { isSynced: false }
        const { who, passkey, id } = await withPasskey(app, `passkey${++made}`, { kind })
        const use = async (counter: number) => {
          const json = { passkey: await assertionOf(app, passkey, { counter }) }
          return app.call('POST', '/login', { json, from })
        }
        assert.equal((await use(5)).status, 200)
        const { told } = await during(app, () => use(4))
        return { told, fields: { user_id: who.userId, passkey: id, address } }
      },
    ),
    info('passkey_backup_changed', 'a passkey of one device becomes a synced one', async () => {
      const kind = { isSynced: false }
      const { who, passkey, id } = await withPasskey(app, `passkey${++made}`, { kind })
      const flags = 0x1d // UP, UV, BE, BS
      const json = { passkey: await assertionOf(app, passkey, { flags }) }
      const { told } = await during(app, () => app.call('POST', '/login', { json, from }))
      const fields = { user_id: who.userId, passkey: id, eligible: true, address }
      return { told, fields }
    }),
    info('mfa_codes_renewed', 'recovery codes are renewed', async () => {
      const { who, headers, device } = await withFactor()
      const json = { totp: device.code(), current_password: who.password }
      const { told } = await ask(headers, 'POST', '/api/account/recovery-codes', json)
      return { told, fields: { user_id: who.userId, ...byOwner(who, 'session') } }
    }),
    info('mfa_recovery_code_used', 'a recovery code takes the place of a code', async () => {
      const { who, device } = await withFactor()
      const { username, password } = who
      const json = { username, password, recovery_code: device.recoveryCodes[0] }
      const { told } = await during(app, () => app.call('POST', '/login', { json, from }))
      return { told, fields: { user_id: who.userId, left: 9, address } }
    }),
    info('password_reset_requested', 'the owner forgot it', async () => {
      const who = await someone()
      await verifyAddress(app, who, `${who.username}@example.org`)
      const json = { username: who.username }
      const { told } = await during(app, () =>
        app.call('POST', '/api/public/reset', { json, from }),
      )
      return { told, fields: { user_id: who.userId, address } }
    }),
    info('password_reset_requested', 'for no account', async () => {
      const json = { username: 'nobody of these' }
      const { told } = await during(app, () =>
        app.call('POST', '/api/public/reset', { json, from }),
      )
      return { told, fields: { user_id: null, address } }
    }),
    info('password_reset', 'by the link of the mail', async () => {
      const who = await someone()
      const { begin, mailed } = await confirmationsOf(app)
      const wanted = {
        purpose: 'reset',
        userId: who.userId,
        asked: who.username,
        version: 1,
      } as const
      const { token } = await mailed((await begin(wanted)).id)
      const json = { token, new_password: other }
      const { told } = await during(app, () =>
        app.call('POST', '/api/public/reset/complete', { json, from }),
      )
      return { told, fields: { user_id: who.userId, method: 'link', address } }
    }),
    info('mfa_removed', 'the owner removes it', async () => {
      const { who, headers, device } = await withFactor()
      const json = { totp: device.code(), current_password: who.password }
      const { told } = await ask(headers, 'DELETE', '/api/account/totp', json)
      return { told, fields: { user_id: who.userId, ...byOwner(who, 'session') } }
    }),
    info('mfa_removed', 'an administrator takes it away', async () => {
      const { who } = await enrolled(app, `factor${++made}`)
      const path = `/api/admin/accounts/${who.username}/second-factor`
      const { told } = await ask(await app.bearer(app.admin), 'DELETE', path)
      return { told, fields: { user_id: who.userId, ...byAdmin } }
    }),
    ...postRows(),
    info('privilege_permissions_changed', 'an administrator changes roles', async () => {
      const who = await someone()
      const path = `/api/admin/accounts/${who.username}`
      const { told } = await administer('PUT', path, { roles: ['EDITOR'], locked: true })
      return { told, fields: accountFields(who, { roles: ['EDITOR'], locked: true, ...byAdmin }) }
    }),
    info('sensitive_create', 'accounts are imported', async () => {
      const { told } = await during(app, () => importLines(app, admin, [line('imported')]))
      return { told, fields: { what: 'account_import', count: 1, ...byAdmin, ...byBrowser } }
    }),
    info('sensitive_read', 'accounts are exported', async () => {
      return {
        ...(await administer('GET', exportPath)),
        fields: { what: 'account_export', hashes: false, ...byAdmin },
      }
    }),
    info('sensitive_read', 'the command line exports accounts', async () => {
      const { told } = await command('account export --with-hashes')
      return { told, fields: { what: 'account_export', hashes: true, by: 'cli' } }
    }),
    info('sensitive_update', 'a transfer', async () => {
      const who = await someone()
      const { told } = await ask(await app.session(who), 'POST', '/api/transfer', { amount: 1 })
      return { told, fields: { user_id: who.userId, what: 'transfer', ...byOwner(who, 'session') } }
    }),
    info('session_created', 'a login in mode session', async () => {
      const who = await someone()
      const { told } = await login(who, 'session')
      return { told, fields: { user_id: who.userId, address } }
    }),
    info('forward_session_created', 'a ticket is used at the host of an application', async () => {
      const hosts = watched(await hostsApp()) as Awaited<ReturnType<typeof hostsApp>>
      const who = await hosts.account('ann')
      const here = await atHosts(hosts, who)
      const address = await here.ticketFor(`${wiki}/`)
      const { told } = await during(hosts, () => enter(hosts, address, here.browser))
      return { told, fields: { user_id: who.userId, origin: wiki, ...byBrowser } }
    }),
    info('session_ended', 'its owner logs out', async () => {
      const who = await someone()
      const { told } = await ask(await app.session(who), 'POST', '/logout')
      return { told, fields: { user_id: who.userId, reason: 'logout', address } }
    }),
    info('session_ended', 'its owner ends it from another one', async () => {
      const who = await someone()
      await app.session(who)
      const headers = await app.session(who)
      const { body } = await ask(headers, 'GET', '/api/account/sessions')
      const { id } = body.find(({ current }: { current: boolean }) => !current)
      const { told } = await ask(headers, 'DELETE', `/api/account/sessions/${id}`)
      return { told, fields: { user_id: who.userId, reason: 'owner', ...byOwner(who, 'session') } }
    }),
    info('session_ended', 'its owner ends all others', async () => {
      const who = await someone()
      const { told } = await ask(await app.session(who), 'DELETE', '/api/account/sessions')
      return {
        told,
        fields: { user_id: who.userId, reason: 'everywhere', ...byOwner(who, 'session') },
      }
    }),
    info('session_ended', 'an administrator ends all of an account', async () => {
      const who = await someone()
      const path = `/api/admin/accounts/${who.username}/sessions`
      const { told } = await administer('DELETE', path)
      return { told, fields: { user_id: who.userId, ...byAdmin, reason: 'administrator' } }
    }),
    info('session_expired', 'the job deletes a session whose timeout has passed', async () => {
      const own = watched(await testApp())
      await own.session(own.admin)
      const ended_at = new Date(own.clock.now() + 1_800_000).toISOString()
      own.clock.advance(1810)
      const job = own.app.jobs.find(({ name }) => name === 'ended sessions')
      const { told } = await during(own, async () => job?.run())
      assert.deepEqual((await own.rows()).sessions, [])
      return { told, fields: { user_id: own.admin.userId, ended_at, by: 'job' } }
    }),
    warn('session_use_after_expire', 'the cookie of a session that has timed out', async () => {
      const own = watched(await testApp())
      const { cookie } = await own.session(own.admin)
      own.clock.advance(1800)
      const { told, result } = await during(own, () =>
        own.call('GET', '/api/protected', { headers: { cookie }, from }),
      )
      assert.equal(result.status, 401)
      return { told, fields: { user_id: own.admin.userId, address } }
    }),
    warn('session_use_after_expire', 'the cookie of a session that was ended', async () => {
      const { cookie } = await app.session(await someone())
      await app.call('POST', '/logout', { headers: { cookie } })
      const told = await refused(401, 'GET', '/api/protected', { headers: { cookie }, from })
      return { told, fields: { user_id: null, address } }
    }),
    info(
      'config_changed',
      'a renewed certificate is taken up',
      async () => {
        const files = tlsFolder()
        const own = await testApp(files.env)
        const job = own.app.jobs.find(({ name }) => name === 'certificate')
        await job?.run()
        const next = localCertificate()
        files.put(next)
        const { told } = await during(own, async () => job?.run())
        const { fingerprint256: fingerprint, validToDate } = new X509Certificate(next.cert)
        const until = validToDate.toISOString()
        return { told, fields: { what: 'certificate', until, fingerprint, by: 'job' } }
      },
      { msg: 'a renewed TLS certificate is in use' },
    ),
    warn('sys_commits_lost', 'the database has lost a revocation that a node knows', async () => {
      const one = watched(await testApp())
      const two = await testApp({}, { directory: one.directory, clock: one.clock })
      const [lost, next] = [await one.bearer(one.admin), await one.bearer(one.admin)]
      await one.call('POST', '/logout', { headers: lost })
      await one.deps.db.deleteFrom('revocations').execute()
      await (testDatabase === 'sqlite'
        ? sql`update sqlite_sequence set seq = 0 where name = 'revocations'`
        : sql`select setval(pg_get_serial_sequence('revocations', 'id'), 1, false)`
      ).execute(one.deps.db)
      await two.call('POST', '/logout', { headers: next }) // its id is given a second time
      await heard(one)
      const { told, result } = await during(one, () =>
        one.call('GET', '/api/me', { headers: lost }),
      )
      assert.equal(result.status, 401)
      return { told, fields: { revocations_restored: 1 } }
    }),
    critical('audit_records_lost', 'more events wait for the database than are kept', async () => {
      const full = await testApp()
      const refused = await refuseChanges(full, 'insert on audit_records')
      const { level } = full.deps.log
      full.deps.log.level = 'silent'
      for (let told = 0; told < 10_003; told += 1) full.deps.events.emit(sensitiveRead, exported)
      await runAudit(full)
      full.deps.log.level = level
      const { told } = await during(full, async () => {
        await refused()
        full.clock.advance(2)
        await runAudit(full)
      })
      return { told, fields: { by: 'job', count: 3 } }
    }),
    info(
      'sys_startup',
      'the service listens',
      async () => {
        const { url, told } = await realProcess
        const { milliseconds } = told.find(({ event }) => event === 'sys_startup') ?? {}
        assert.ok(Number.isInteger(milliseconds))
        return { told, fields: { address: url, base_url: url, milliseconds } }
      },
      { msg: 'ready' },
    ),
    info('sys_shutdown', 'SIGTERM', async () => ({ told: (await realProcess).told, fields: {} }), {
      msg: 'stopped',
    }),
    critical('sys_crash', 'an error is not caught', async () => {
      return { told: await crashed, fields: { reason: 'uncaughtException' } }
    }),
    {
      event: 'sys_crash',
      when: 'a worker ends',
      level: 'error',
      msg: 'a worker has ended: another takes its place',
      only: 'log',
      happen: async () => {
        const { told, pid } = await realWorkers
        return { told, fields: { worker: 0, pid, code: null, signal: 'SIGKILL' } }
      },
    },
    warn(
      'sys_restart',
      'another takes its place',
      async () => {
        const { told, pid } = await realWorkers
        return { told, fields: { worker: 0, pid, code: null, signal: 'SIGKILL' } }
      },
      { msg: 'a new worker has taken the place' },
    ),
    info('user_created', 'a user is made', async () => {
      const { told, body } = await makeUser()
      return { told, fields: { user_id: body.id, ...byAdmin } }
    }),
    info('user_created', 'an account is made', async () => {
      const { told, result } = await during(app, () => someone())
      return { told, fields: accountFields(result, { ...byBrowser, by, scheme: 'basic' }) }
    }),
    info('user_created', 'the command line makes a user', async () => {
      const { told, stdout } = await command('user add --name Ann --email ann@example.org --json')
      return { told, fields: { user_id: JSON.parse(stdout).id, by: 'cli' } }
    }),
    info('user_created', 'a sign-up by a provider', async () => {
      const { told, result } = await signIn('newcomer')
      return {
        told,
        fields: accountFields(
          { userId: Number(result.user_id), username: 'newcomer', password: '' },
          { issuer: idp.issuer, ...byBrowser },
        ),
      }
    }),
    info('user_updated', 'a user is changed', async () => {
      const { body } = await makeUser()
      const { told } = await administer('PUT', `/users/${body.id}`, { name: 'Bob' })
      return { told, fields: { user_id: body.id, ...byAdmin } }
    }),
    info('api_keys_ended', 'all logins of a service account are ended', async () => {
      const { who } = await serviceAccount(app, 'ended-program', ['users:read'])
      const path = `/api/admin/accounts/${who.username}/sessions`
      const { told } = await administer('DELETE', path)
      return { told, fields: { user_id: who.userId, count: 1, ...byAdmin } }
    }),
    info('api_key_expiring', 'a key ends within a week', async () => {
      const own = await testApp()
      const { who } = await serviceAccount(own, 'expiring', ['users:read'])
      const json = { name: 'short', scopes: ['users:read'], expires_in_days: 7 }
      const { id } = await newKey(own, who.username, json)
      const { told } = await during(own, () => jobOf(own, 'ends of keys'))
      const expires_at = new Date(own.clock.now() + 7 * 86_400_000).toISOString()
      const fields = { user_id: who.userId, key_id: id, kind: 'key', expires_at, told: 1 }
      return { told, fields: { ...fields, by: 'job' } }
    }),
    info('user_deleted', 'a user is deleted', async () => {
      const { body } = await makeUser()
      const { told } = await administer('DELETE', `/users/${body.id}`)
      return { told, fields: { user_id: body.id, ...byAdmin } }
    }),
    warn(
      'excess_rate_limit_exceeded',
      'an address has used up the general limit',
      async () => {
        const limited = await testApp({ RATE_LIMIT_MAX: '1' })
        const request = () => limited.call('GET', '/api/public/status', { from })
        await request()
        const { told, result } = await during(limited, request)
        assert.equal(result.status, 429)
        return { told, fields: { address } }
      },
      { msg: 'too many requests' },
    ),
  ]

  for (const { event, when, level, msg, only, happen } of rows) {
    if (only === 'postgres' && only !== testDatabase) continue
    test(`${event}: ${when}`, async () => {
      const { told, fields } = await happen()
      const lines = told.filter((one) => one.event === event).map(withoutTime)
      const isOfRequest = types.has(event) && !event.startsWith('sys_')
      assert.deepEqual(
        lines.map(({ request_id, ...line }) => {
          // Every line of a request names it; nothing else has one.
          if (isOfRequest && 'address' in fields)
            assert.match(String(request_id), /^\S+-[0-9a-z]+$/)
          else assert.equal(request_id, undefined)
          return line
        }),
        // A username is in the audit log alone.
        [{ level, event, ...withoutUsername(fields), ...(msg && { msg }) }],
      )
      const type = types.get(event)
      if (type && only !== 'log') {
        assertRecorded(type, told, {
          fields: { ...fields },
          isOfChange: /replaced comes again$|comes a second time$/.test(when),
        })
      }
      // A refusal is told once: the tenth wrong password is one, and locks the account as well.
      const isRefusal = (one: Told) => types.get(String(one.event))?.outcome === 'failure'
      const refusals = told.filter((one) => isRefusal(one) && 'request_id' in one)
      if (types.get(event)?.outcome === 'failure' && event !== 'authn_login_lock') {
        assert.ok(refusals.length <= 1, JSON.stringify(refusals))
      }
    })
  }

  test('every event of the vocabulary, and every other that the code names, has its row or an example', () => {
    const source = join(import.meta.dirname, '../../src')
    const read = (file: string) => readFileSync(join(source, file), 'utf8')
    assert.ok(types.size > 30)
    const others = globSync('**/*.ts', { cwd: source })
      .filter((file) => !/(?:\.test|\/examples)\.ts$/.test(file))
      // Errors and reasons name constants, in camelCase.
      .flatMap((file) => [...read(file).matchAll(/\bevent: '([a-z_]+)'/g)].map(([, name]) => name))
    const known = new Set([...types.keys(), ...others])
    const shown = new Set(rows.map(({ event }) => event))
    assert.deepEqual([...shown.difference(known)], [])
    assert.deepEqual(
      [...known.difference(shown).difference(exampleEvents)].map(
        (name) =>
          `The event ${name} has no example: name it at a route or a command in examples.ts of its module.`,
      ),
      [],
    )
  })

  test('the log of all these events is whole, with its indexes', async () => {
    for (const tested of [app, client]) {
      await recordWaiting(tested)
      const { problems, checked } = await verified(tested.deps)
      assert.deepEqual(problems, [])
      assert.ok(checked.records > 5)
    }
  })

  test('no secret of all these requests stands in any line of the log', () => {
    const texts = [app, client].map(({ log }) => log.map((one) => JSON.stringify(one)).join('\n'))
    assert.ok(secrets.size > 200)
    for (const secret of secrets) {
      for (const text of texts)
        assert.ok(!text.includes(JSON.stringify(secret).slice(1, -1)), secret)
    }
  })

  test('no secret of all these requests stands in the audit log, in a table or in a refusal', async () => {
    // Codes of six digits are in many numbers; sessions keep their CSRF token as it is.
    const long = [...secrets].filter((secret) => secret.length > 11)
    const stored = [app, client].map(async (one) => {
      await recordWaiting(one)
      const records = await recordsAfter(one.deps, 0)
      assert.ok(records.length > 10)
      const { sessions = [], ...tables } = await one.rows()
      const cookies = sessions.map((row) => ({ ...(row as object), csrf_token: null }))
      return JSON.stringify([records, tables, cookies])
    })
    const texts = await Promise.all(stored)
    assert.ok(texts.every((text) => text.length > 10_000))
    for (const secret of long) {
      const inJson = JSON.stringify(secret).slice(1, -1)
      for (const text of texts) assert.ok(!text.includes(inJson), secret)
    }
    const echoes = refusals.filter(([body, known]) =>
      known.some((secret) => secret.length > 11 && body.includes(secret)),
    )
    assert.ok(refusals.length > 20)
    assert.deepEqual(
      echoes.map(([body]) => body),
      [],
    )
  })

  // Told by the process itself, once.
  const realProcess = (async () => {
    const service = await startService([process.execPath, 'src/main.ts'], {
      NODE_ENV: 'test',
      ADMIN_PASSWORD: other,
    })
    after(() => service.remove())
    assert.equal(await service.stop(), 0)
    const told = linesOf(service.output())
    recorded.set(told, await recordsIn(service.dataDirectory))
    return { url: service.url, told }
  })()
  realProcess.catch(() => {}) // told by the rows that wait for it

  // A process that ends by a fault of its own.
  const crashed = (async () => {
    const fault = `process.on('SIGUSR2', () => { throw new Error('a fault') })`
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(fault)}`]
    const service = await startService([process.execPath, ...flags, 'src/main.ts'], {
      NODE_ENV: 'test',
      ADMIN_PASSWORD: other,
    })
    after(() => service.remove())
    assert.equal(await service.stop('SIGUSR2'), 1)
    const told = linesOf(service.output())
    recorded.set(told, await recordsIn(service.dataDirectory))
    assert.ok(!told.some(({ event }) => event === 'sys_shutdown'))
    return told
  })()
  crashed.catch(() => {})

  // The same with workers, of which the first is killed.
  const realWorkers = (async () => {
    const service = await startService([process.execPath, 'src/main.ts'], {
      NODE_ENV: 'test',
      ADMIN_PASSWORD: other,
      WORKERS: '2',
    })
    after(() => service.remove())
    const primary = service.process.pid
    const children = readFileSync(`/proc/${primary}/task/${primary}/children`, 'utf8')
    const pid = Number(children.split(' ')[0])
    process.kill(pid, 'SIGKILL')
    await until(() => service.output().includes('sys_restart'))
    assert.equal(await service.stop(), 0)
    const told = linesOf(service.output())
    recorded.set(told, await recordsIn(service.dataDirectory))
    return { pid, told }
  })()
  realWorkers.catch(() => {})

  async function withFactor() {
    const who = await someone()
    const headers = await app.session(who)
    const device = await enrol(app, headers)
    app.clock.advance(30)
    return { who, headers, device }
  }

  async function signIn(sub: string) {
    idp.person = { sub, preferred_username: sub, email: `${sub}@example.org` }
    const browser = testBrowser(client)
    const { told } = await during(client, () => browser.open('/oauth/login'))
    return { told, result: (await browser.call('GET', '/api/session')).body }
  }

  async function link(username: string) {
    const who = await client.account(username)
    const headers = await client.session(who)
    const browser = testBrowser(client)
    browser.cookies.set('JSESSIONID', headers.cookie.split('=')[1] ?? '')
    idp.person = { sub: `linked-${username}`, preferred_username: 'x', email: 'x@example.org' }
    const begun = await browser.call('POST', '/api/account/identities', {
      headers: { 'x-csrf-token': headers['x-csrf-token'] },
      json: { provider: 'default', current_password: who.password },
    })
    const { told } = await during(client, () => browser.open(begun.body.url))
    return { who, headers, told }
  }

  function makeUser() {
    return administer('POST', '/users', { name: 'Ann', email: 'ann@example.org' })
  }

  function postRows(): Row[] {
    const changed = (event: string, method: string, pathOf: (id: number) => string) =>
      info(event, `${method} by an administrator`, async () => {
        const { userId } = await someone()
        const [id = 0] = await seedPosts(app, 1, { authorId: userId })
        const json = pathOf === post && method === 'PUT' ? { title: 'Second' } : undefined
        const { told } = await administer(method, pathOf(id), json)
        return { told, fields: { post_id: id, author_id: userId, ...byAdmin } }
      })
    const post = (id: number) => `/api/posts/${id}`
    const lock = (id: number) => `/api/admin/posts/${id}/lock`
    return [
      info('post_created', 'a post is made', async () => {
        const { told, body } = await administer('POST', '/api/posts', { title: 'First' })
        return { told, fields: { post_id: body.id, author_id: Number(by), ...byAdmin } }
      }),
      changed('post_updated', 'PUT', post),
      changed('post_deleted', 'DELETE', post),
      changed('post_locked', 'PUT', lock),
      changed('post_unlocked', 'DELETE', lock),
    ]
  }
})
