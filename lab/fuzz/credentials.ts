import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { fromBase32 } from '../../test/factor.ts'
import type { ReadAnswer } from './answers.ts'
import type { Canaries } from './canaries.ts'
import type { Caller, Scheme } from './described.ts'

export interface Account {
  readonly username: string
  readonly password: string
  readonly userId: number
}

/** A caller who has logged in every way. */
export interface Principal extends Account {
  readonly bearer: string
  readonly cookie: string
  readonly csrf: string
  totpSecret: string | null
}

export type Ask = (
  method: string,
  path: string,
  options?: { readonly headers?: Readonly<Record<string, string>>; readonly json?: unknown },
) => Promise<ReadAnswer>

export interface Credentials {
  of(caller: Exclude<Caller, 'anonymous'>): Promise<Principal>
  /** The credentials are made anew before the next request. */
  noteRefused(caller: Exclude<Caller, 'anonymous'>): void
  isCaller(username: string): boolean
  current(caller: Caller): Principal | undefined
}

type Role = Exclude<Caller, 'anonymous'>

const rolesOf: Readonly<Record<Role, readonly string[]>> = {
  USER: ['USER'],
  EDITOR: ['EDITOR'],
  ADMIN: ['ADMIN', 'USER'],
}

/** Keeps one caller of each role; a caller whose login or account ends is replaced. */
export function createCredentials(ask: Ask, keeper: string, canaries: Canaries): Credentials {
  const current = new Map<Role, Promise<Principal>>()
  const known = new Map<Role, Principal>()
  const names = new Set<string>()
  let made = 0

  async function accountFor(role: Role): Promise<Account> {
    made += 1
    const username = `${role.toLowerCase()}-caller-${made}`
    const password = canaries.password(1_000_000 + made)
    names.add(username)
    const answer = await ask('POST', '/api/admin/accounts', {
      headers: { authorization: keeper },
      json: { username, password, roles: rolesOf[role], name: username, email: 'a@example.org' },
    })
    if (answer.status !== 201)
      throw new Error(`no account for ${role}: ${answer.status} ${answer.body}`)
    return { username, password, userId: JSON.parse(answer.body).user_id }
  }

  async function logIn(account: Account): Promise<Principal | null> {
    const { username, password } = account
    const [token, session] = [
      await ask('POST', '/login', { json: { username, password, mode: 'token' } }),
      await ask('POST', '/login', { json: { username, password, mode: 'session' } }),
    ]
    if (token.status !== 200 || session.status !== 200) return null
    const cookie = session.headers.find(([name]) => name === 'set-cookie')?.[1].split(';')[0] ?? ''
    const bearer: string = JSON.parse(token.body).token
    const csrf: string = JSON.parse(session.body).csrf_token
    canaries.add(cookie.slice(cookie.indexOf('=') + 1))
    canaries.addToken(bearer)
    canaries.addTold(csrf)
    const basic = Buffer.from(`${username}:${password}`).toString('base64')
    canaries.add(basic)
    return { ...account, bearer, cookie, csrf, totpSecret: null }
  }

  async function make(role: Role): Promise<Principal> {
    const before = known.get(role)
    const again = before && (await logIn(before))
    const found = again ?? (await logIn(await accountFor(role)))
    if (!found) throw new Error(`a new account for ${role} cannot log in`)
    known.set(role, found)
    return found
  }

  return {
    of(role) {
      const found = current.get(role) ?? make(role)
      current.set(role, found)
      return found
    },
    noteRefused: (role) => current.delete(role),
    isCaller: (username) => names.has(username),
    current: (role) => (role === 'anonymous' ? undefined : known.get(role)),
  }
}

export function headersFor(
  principal: Principal,
  scheme: Scheme,
  isUnsafe: boolean,
): [string, string][] {
  if (scheme === 'bearer') return [['Authorization', `Bearer ${principal.bearer}`]]
  if (scheme === 'basic') {
    const { username, password } = principal
    return [['Authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`]]
  }
  const cookie: [string, string] = ['Cookie', principal.cookie]
  return isUnsafe ? [cookie, ['X-CSRF-Token', principal.csrf]] : [cookie]
}

/** The code that an authenticator app shows now, or a code that is wrong. */
export function codeFor(principal: Principal | undefined, now: number, steps = 0): string {
  if (!principal?.totpSecret) return '000000'
  return codeOfStep(fromBase32(principal.totpSecret), Math.floor(now / 1000 / stepSeconds) + steps)
}
