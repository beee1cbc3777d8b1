import { startService } from '../../tools/service.ts'
import { importAccounts, makeAccounts, makeOwners, password, tokenOf } from '../timing/accounts.ts'
import { compare, type Kind, print } from '../timing/compare.ts'
import { attempts, form, json } from '../timing/requests.ts'

/**
 * Measures whether time, body or headers tell a client whether a username or a mail address has an
 * account, or why a login failed: at logins, by the API and by page, with hashes of the service's own
 * and with imported ones, and wherever mail is asked for. Sends attempts of all kinds in turn to the
 * real service and compares each kind with an unknown name. Exits with 1 if a ratio is outside of
 * 0.9 to 1.1, or answers differ. `npm run prove -- timing 500` sends 500 of each kind, with a further
 * word only in the sections whose titles have it: `-- 500 sign-up`. DATABASE_URL may name an empty
 * database of PostgreSQL.
 */
const rounds = Number(process.argv[2] ?? 150)
const word = process.argv[3] ?? ''
const wrong = 'not the right pass phrase'
const unknown = 'unknown'

const service = await startService([process.execPath, 'src/main.ts'], {
  ADMIN_PASSWORD: password,
  TRUST_PROXY: '127.0.0.1',
  NODE_ENV: 'test',
  LOGIN_LOCK_AFTER: '1000000',
  LOGIN_IP_ATTEMPTS: '1000000',
  SIGN_UP: 'open',
  EMAIL_SIGN_IN: 'on',
})
const { url } = service

const logIn = (username: () => string, sent: string): Kind =>
  json(url, { path: '/login', body: () => ({ username: username(), password: sent }) })
const stranger = () => `nobody${attempts()}`

const ownKinds = {
  [unknown]: logIn(stranger, wrong),
  'wrong password': logIn(() => 'active', wrong),
  'locked, right password': logIn(() => 'locked', password),
  'locked, wrong password': logIn(() => 'locked', wrong),
  'disabled, right password': logIn(() => 'disabled', password),
  'password of 73 bytes': logIn(() => 'active', 'x'.repeat(73)),
  'password of 10 kB': logIn(() => 'active', 'x'.repeat(10_240)),
  'unknown, 10 kB': logIn(stranger, 'x'.repeat(10_240)),
}
const importedKinds = {
  [unknown]: logIn(stranger, wrong),
  'wrong password': logIn(() => 'active', wrong),
  'locked, right password': logIn(() => 'locked', password),
  'bcrypt, cost 12': logIn(() => 'bcrypt', wrong),
  'Argon2id, 64 MiB': logIn(() => 'argon2', wrong),
  'PBKDF2, 1000 iterations': logIn(() => 'pbkdf2', wrong),
}

const signIn = (username: () => string, sent: string): Kind =>
  form(url, '/signin', () => ({ username: username(), password: sent }))
const signInKinds = {
  [unknown]: signIn(() => next('stranger'), wrong),
  'unknown address': signIn(() => addressOf(next('free')), wrong),
  'unverified address': signIn(() => addressOf(next('unverified')), password),
  'wrong password': signIn(() => next('taken'), wrong),
  'verified address, wrong': signIn(() => addressOf(next('taken')), wrong),
  'locked, right password': signIn(() => next('locked'), password),
  'disabled, right password': signIn(() => next('disabled'), password),
  'locked, by address': signIn(() => addressOf(next('locked')), password),
}

/** Who is asked for where mail is sent: each account once, because a mail a minute is the limit. */
function asked(ask: (email: () => string) => Kind): Record<string, Kind> {
  return {
    [unknown]: ask(() => addressOf(next('free'))),
    known: ask(() => addressOf(next('taken'))),
    'of a disabled account': ask(() => addressOf(next('disabled'))),
    'of a locked account': ask(() => addressOf(next('locked'))),
    'unverified, of an account': ask(() => addressOf(next('unverified'))),
    'over the limit': ask(() => addressOf(next('limited', 8))),
    'known, over the limit': ask(() =>
      addressOf(`taken${perSection * 2 + Math.floor(count('again') / 8)}`),
    ),
  }
}
const jsonAsked = (path: string) =>
  asked((email) => json(url, { path, body: () => ({ email: email() }) }))
const formAsked = (path: string, field = 'email') =>
  asked((email) => form(url, path, () => ({ [field]: email() })))
const resetOf = (username: () => string): Kind =>
  json(url, { path: '/api/public/reset', body: () => ({ username: username() }) })

/** Each account asks once for another address. */
const change = (email: () => string): Kind =>
  json(url, {
    method: 'PUT',
    path: '/api/account/email',
    body: () => ({ email: email(), current_password: password }),
    prepare: async () => ({ authorization: `Bearer ${await tokenOf(service, next('taken'))}` }),
  })

// The accounts of a section are asked for in no other: what is known of them differs afterwards.
const perSection = 3 * rounds
let beginning = 0
const counts = new Map<string, number>()
function count(who: string): number {
  const number = counts.get(who) ?? beginning
  counts.set(who, number + 1)
  return number
}
function next(who: string, times = 1): string {
  return `${who}${Math.floor(count(who) / times)}`
}
function addressOf(name: string): string {
  return `${name}@example.org`
}

interface Section {
  readonly kinds: Readonly<Record<string, Kind>>
  readonly prepare?: () => Promise<void>
  /** Each attempt waits as long as the most expensive hash takes: two at a time halve the run. */
  readonly atOnce?: number
}

const mailSections = {
  'sign-in by page': { kinds: signInKinds },
  'sign-up': { kinds: jsonAsked('/api/public/sign-up') },
  'sign-up by page': { kinds: formAsked('/signup') },
  reset: { kinds: jsonAsked('/api/public/reset') },
  'reset by username': {
    kinds: {
      [unknown]: resetOf(() => next('stranger')),
      known: resetOf(() => next('taken')),
      'disabled account': resetOf(() => next('disabled')),
      'locked account': resetOf(() => next('locked')),
    },
  },
  'reset by page': { kinds: formAsked('/reset', 'username') },
  'sign-in by mail': { kinds: jsonAsked('/api/public/sign-in-code') },
  'sign-in by mail by page': { kinds: formAsked('/signin?by=mail') },
  'change of address': {
    kinds: {
      [unknown]: change(() => addressOf(next('free'))),
      taken: change(() => addressOf(next('taken'))),
      'of a disabled account': change(() => addressOf(next('disabled'))),
      'of a locked account': change(() => addressOf(next('locked'))),
      'unverified, of an account': change(() => addressOf(next('unverified'))),
    },
  },
} satisfies Record<string, Section>
const sections: Readonly<Record<string, Section>> = {
  'login, hashes of the service': { kinds: ownKinds, prepare: () => makeAccounts(service) },
  'login, imported hashes': {
    kinds: importedKinds,
    prepare: () => importAccounts(service),
    atOnce: 2,
  },
  ...mailSections,
}

try {
  let isEven = true
  const chosen = Object.entries(sections).filter(([title]) => title.includes(word))
  const owned = chosen.filter(([title]) => title in mailSections)
  if (owned.length > 0) await makeOwners(service, (owned.length + 1) * perSection)
  for (const [title, { kinds, prepare, atOnce = 1 }] of chosen) {
    await prepare?.()
    print(title)
    isEven = (await compare(kinds, { usual: unknown, rounds, atOnce })) && isEven
    beginning += perSection
    counts.clear()
  }
  print(isEven ? 'PASS' : 'FAIL')
  process.exitCode = isEven ? 0 : 1
} finally {
  await service.stop()
  service.remove()
}
