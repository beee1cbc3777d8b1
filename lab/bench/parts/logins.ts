import { loadOf, postJson } from '../load.ts'
import { account } from '../peers/accounts.ts'
import { watchMemory } from '../processes.ts'
import type { Figure } from '../report/figure.ts'
import type { Service } from '../service.ts'
import { type Contender, type Goal, linesOf, moreOf, type Plan, takeTurns } from '../turns.ts'
import { origin, passkeyLogins } from './passkey-logins.ts'
import { startBetterAuth } from './peers.ts'
import { knowsSetting, password, seeded, usernames } from './seeded.ts'
import { cryptography, workOf } from './unseen.ts'

const connections = 8
/** Three hashes of 19 MiB at once, the most for which libuv has threads; the default is two. */
const raisedMib = '57'

const about = `Successful logins with 8 connections, \`POST /login\` with JSON, mode \`token\`, 1,000 accounts in turn, the throttle of names on:
Argon2id (19 MiB, 2 passes, OWASP's first choice), two short transactions that wait for the disk, an RS256
token. *Passkey* is a login by a passkey (ES256) of one of 64 accounts in turn, with the same transactions and token, and 16 connections,
because these logins wait more than they compute. *Hash and signature alone* is the same Argon2id and an RS256 signature by the same libraries, 8 at once, without
a server. *Better Auth* verifies scrypt (its default, 16 MiB) and creates a session. Memory is the most that was resident
in a turn.`

export async function logins(plan: Plan): Promise<Figure> {
  const data = await seeded(plan, 'SQLite', 1000)
  const isKnown = knowsSetting('HASHING_MEMORY_MIB')
  const service = await data.start()
  const withPasskeys = await data.start({ BASE_URL: origin })
  const raised = isKnown ? await data.start({ HASHING_MEMORY_MIB: raisedMib }) : undefined
  const alone = await cryptography('login', connections)
  const betterAuth = await startBetterAuth(false)
  const contenders: Contender[] = [
    logIn(ours, service),
    await passkeyLogins(byPasskey, withPasskeys, 2 * connections),
    ...(raised ? [logIn(oursRaised, raised)] : []),
    workOf(aloneName, alone),
    loadOf(
      'Better Auth: sign-in/email, scrypt',
      betterAuth,
      {
        connections,
        requests: [postJson('/api/auth/sign-in/email', account, { origin: betterAuth.url })],
      },
      true,
    ),
  ]
  const turns = await takeTurns(plan, contenders, aloneName)
  for (const each of [service, withPasskeys, raised, alone, betterAuth]) await each?.stop()
  await data.close()
  const missing = { what: oursRaised, values: [], missing: 'not in this version' }
  const memory = (name: string, goal: object) => {
    const values = moreOf(turns, name, 'memory')
    const comparisons = [{ to: 'itself', values, ...goal }]
    return { what: `memory: ${name}`, values, unit: 'MB' as const, comparisons }
  }
  return {
    name: 'logins',
    title: 'Logins',
    about,
    unit: 'requests/s',
    lines: [
      ...linesOf(contenders, turns.samples, goals(isKnown)),
      ...(isKnown ? [] : [missing]),
      memory(ours, { atMost: 170 }),
      ...(isKnown ? [memory(oursRaised, {})] : []),
    ],
    ...turns.about,
  }
}

const ours = 'this service: POST /login, Argon2id'
const oursRaised = `the same, HASHING_MEMORY_MIB=${raisedMib}`
const byPasskey = 'this service: POST /login, passkey'
const aloneName = 'hash and signature alone'

function goals(isKnown: boolean): Readonly<Record<string, readonly Goal[]>> {
  return {
    [ours]: [{ to: aloneName, atLeast: 0.85, ratchet: 'login : hash and signature' }],
    [byPasskey]: [{ to: ours, atLeast: 10 }],
    ...(isKnown
      ? {
          [oursRaised]: [
            { to: aloneName, atLeast: 0.9, ratchet: 'login raised : hash and signature' },
          ],
        }
      : {}),
  }
}

function logIn(name: string, service: Service): Contender {
  const requests = usernames.map((username) => postJson('/login', { username, password }))
  const load = loadOf(name, service, { connections, requests })
  return {
    name,
    async run(seconds) {
      let sample = { rate: Number.NaN }
      const memory = await watchMemory(service.pid, async () => {
        sample = await load.run(seconds)
      })
      return { ...sample, more: { memory } }
    },
  }
}
