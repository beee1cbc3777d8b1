import assert from 'node:assert/strict'
import { decodeProtectedHeader } from 'jose'
import { digest } from '../src/core/crypto/digest.ts'
import { createServiceMaker } from '../src/core/module/make.ts'
import { modules } from '../src/modules.ts'
import { type Answer, type Headers, testApp } from './app.ts'
import { clientsFile, entry } from './clients.ts'
import { fixedClock } from './clock.ts'
import { testDatabase } from './database.ts'
import { askForward, proxied } from './forward.ts'
import { forwardFile } from './forward-file.ts'
import { audience, identityProvider, settingsFor } from './identity-provider.ts'
import { until } from './until.ts'

const wiki = 'wiki.example.org'
const origin = `https://${wiki}`

/** Every credential of an account, as `accepted` names those that the other node accepts. */
export const everyCredential = 'token pair session host external'

/** Two nodes on one database, and accounts with credentials that are used at the second one. */
export async function twoNodes(more: Record<string, string> = {}) {
  const idp = await identityProvider()
  const clock = fixedClock(new Date().toISOString())
  const env = {
    ...settingsFor(idp),
    ...proxied,
    FORWARD_AUTH_FILE: forwardFile([{ hosts: [wiki], policy: 'one_factor' }]),
    CLIENTS_FILE: clientsFile([entry('shop')]),
    REFRESH_ROTATION: 'on',
    REFRESH_GRACE_SECONDS: '0',
    SESSIONS_PER_ACCOUNT: '2',
    ...more,
  }
  const one = await testApp(env, { clock })
  const two = await testApp(env, { directory: one.directory, clock })
  const { hostSessions, identities, accounts } = await (
    await createServiceMaker(one.deps, { modules })
  ).all()
  const byAdmin = { headers: one.basic(one.admin) }
  let count = 0

  /** Its headers at the host of an application. */
  async function atHost(session: Headers): Promise<Headers> {
    const browser = 'b'.repeat(43)
    const id = digest(session.cookie?.split('=')[1] ?? '')
    const handed = { origin, browser: digest(browser), returnTo: `${origin}/` }
    const ticket = await hostSessions.issueTicket(id, handed)
    const redeemed = await hostSessions.redeem(ticket, { origin, browser })
    if ('refused' in redeemed) throw new Error(redeemed.refused.code)
    return { cookie: `__Host-gatehouse=${redeemed.secret}` }
  }

  /** An account with a credential of each kind, and the uses of them at the other node. */
  async function make() {
    count += 1
    const name = `person-${count}`
    const who = await one.account(name)
    const token = await one.token(who)
    const pair = await one.pair(who)
    const session = await one.session(who)
    const host = await atHost(session)
    const subject = { issuer: idp.issuer, subject: name }
    const own = await accounts.byUserId(who.userId)
    assert.ok(own)
    await identities.link(own, subject)
    const now = Math.floor(clock.now() / 1000)
    const claims = { sub: subject.subject, iat: now, exp: now + 600, aud: audience }
    const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } })
    const external = bearer(idp.signed(idp.claims(claims)))
    const uses = {
      token: () => two.call('GET', '/api/me', bearer(token)),
      pair: () => two.call('GET', '/api/me', bearer(pair.access_token)),
      session: () => two.call('GET', '/api/session', { headers: session }),
      host: () => askForward(two, { host: wiki, headers: host }),
      external: () => two.call('GET', '/api/account', external), // of a linked account
    }
    /** Those that the other node accepts. */
    const accepted = async () => {
      const found: string[] = []
      for (const [what, use] of Object.entries(uses)) {
        const { status } = await use()
        assert.ok(status < 500, `${what}: ${status}`)
        if (status === 200) found.push(what)
      }
      return found.join(' ')
    }
    return { who, token, pair, session, host, accepted, uses }
  }

  return { one, two, clock, env, byAdmin, identities, atHost, make }
}

export type Nodes = Awaited<ReturnType<typeof twoNodes>>
export type Made = Awaited<ReturnType<Nodes['make']>>
export type Ended = Pick<Answer, 'status' | 'text'>

/** Of the token. */
export const kidOf = ({ token }: Made) => decodeProtectedHeader(token).kid

export interface Kind {
  readonly what: string
  readonly end: (made: Made) => Promise<Ended>
  /** What the other node accepts afterwards. */
  readonly left: string
}

/** Ends one of the credentials at the first node when the second one knows them all. */
export async function assertEnded({ one, two, make }: Nodes, { end, left }: Kind): Promise<void> {
  const made = await make()
  for (const { deps } of testDatabase === 'postgres' ? [one, two] : []) {
    await until(() => deps.feed.isCurrent())
  }
  for (let times = 0; times < 2; times += 1) assert.equal(await made.accepted(), everyCredential)
  const { status, text } = await end(made)
  assert.ok([200, 204].includes(status), `${status} ${text}`)
  assert.equal(await made.accepted(), left)
}
