import { canonicalUsername } from '../../src/core/lib/username.ts'
import { headerOf, type ReadAnswer } from './answers.ts'
import { type Canaries, createCanaries } from './canaries.ts'
import type { Finding } from './checks.ts'
import {
  type Ask,
  type Credentials,
  codeFor,
  createCredentials,
  type Principal,
} from './credentials.ts'
import { type Described, isSlot, type Slot, type Value } from './described.ts'
import type { FuzzedService } from './service.ts'

/** What a chunk knows of its service: accounts, rows, secrets. */
export interface World {
  readonly canaries: Canaries
  readonly credentials: Credentials
  readonly keeper: { readonly basic: string }
  fill(slot: Slot, place: Place): Value
  /** Whether a change would remove the chunk's administrator. */
  isKeeper(text: string): boolean
  learn(request: Described, sent: SentRequest, answer: ReadAnswer): void
  /** What is wrong with the accounts that no request has changed. */
  check(): Promise<Finding[]>
}

export interface Place {
  readonly request: Described
  readonly principal: Principal | undefined
  /** Of a parameter: the part of the path before it. */
  readonly segment?: string
  readonly name?: string
  /** The object that has it. */
  readonly beside?: Readonly<Record<string, Value>>
  readonly target?: string
}

export interface SentRequest {
  readonly target: string
  readonly body: string
  readonly principal: Principal | undefined
}

interface Target {
  readonly username: string
  readonly userId: number
  readonly state: string
}

const targets = 6
const maxPool = 200
/** A longer response is the document, or has nothing new. */
const maxLearned = 50_000
/** Fields with secrets that no later response may contain. */
const secretFields = new Set(['secret', 'recovery_codes', 'password'])
const tokenFields = new Set([
  'token',
  'access_token',
  'refresh_token',
  'csrf_token',
  'enrolment_token',
])

/** The part of a raw text that a server reads as a path segment: before a query. */
function asSegment(text: string): string {
  const [segment = ''] = text.split(/[?#]/)
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

export async function createWorld(service: FuzzedService, ask: Ask, seed: number): Promise<World> {
  const canaries = createCanaries(seed)
  for (const secret of service.secrets) canaries.add(secret)
  const pools = new Map<string, Value[]>()
  const passwords = new Map<string, string>()
  const etags = new Map<string, string>()
  const touched = new Set<string>()
  const { username, password } = service.keeper
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const credentials = createCredentials(ask, basic, canaries)
  const headers = { authorization: basic }
  const seeded: Target[] = []

  function keep(name: string, value: Value): void {
    const pool = pools.get(name) ?? []
    if (pool.length >= maxPool) pool.shift()
    pool.push(value)
    pools.set(name, pool)
  }

  async function made(path: string, json: object): Promise<Record<string, Value>> {
    const answer = await ask('POST', path, { headers, json })
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.body}`)
    return JSON.parse(answer.body)
  }

  async function stateOf({ username, userId }: Omit<Target, 'state'>): Promise<string> {
    const account = await ask('GET', `/api/admin/accounts/${username}`, { headers })
    const user = await ask('GET', `/users/${userId}`, { headers })
    return `${account.status} ${account.body} ${user.status} ${user.body}`
  }

  for (let number = 0; number < targets; number += 1) {
    const password = canaries.password(number)
    const name = `target-${number}`
    const roles = number % 2 === 0 ? ['USER'] : ['EDITOR', 'USER']
    const json = {
      username: name,
      password,
      roles,
      name: `Target ${number}`,
      email: 'target@example.org',
    }
    const { user_id } = await made('/api/admin/accounts', json)
    const one = { username: name, userId: Number(user_id) }
    seeded.push({ ...one, state: await stateOf(one) })
    passwords.set(name, password)
    keep('accounts', name)
    keep('users', one.userId)
    keep('users', (await made('/users', { name: `User ${number}`, email: 'u@example.org' })).id)
    keep('posts', (await made('/api/posts', { title: `Post ${number}` })).id)
  }

  const [first] = seeded
  if (first) {
    const json = { username: first.username, password: passwords.get(first.username), mode: 'pair' }
    learnFields(JSON.parse((await ask('POST', '/login', { json })).body), '')
  }

  /** All fields of an answer that a later request could send. */
  function learnFields(value: unknown, segment: string): void {
    if (Array.isArray(value)) for (const one of value) learnFields(one, segment)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    // In a record of the audit log it is a digest of the token's id, which opens nothing.
    const namesToken = 'token' in value && 'request_id' in value && 'factors' in value
    for (const [name, part] of Object.entries(value)) {
      if (name === 'token' && namesToken) continue
      if (name === 'id') keep(segment, part)
      else if (name === 'user_id') keep('users', Number(part))
      else if (name === 'username') keep('accounts', part)
      for (const one of [part].flat()) if (typeof one === 'string') learnText(name, one)
      learnFields(part, segment)
    }
  }

  function learnText(name: string, text: string): void {
    if (secretFields.has(name)) canaries.add(text)
    if (name === 'csrf_token') canaries.addTold(text)
    else if (tokenFields.has(name)) canaries.addToken(text)
    if (tokenFields.has(name) && name !== 'csrf_token') keep('token', text)
    if (tokenFields.has(name) || /^(next|jti|recovery_codes|signature)$/.test(name))
      keep(name, text)
  }

  /** Later requests use a deleted id only as a number. */
  function forget(target: string): void {
    const [last = ''] = target.split(/[/?]/).slice(-1)
    for (const pool of pools.values()) {
      const at = pool.findIndex((value) => String(value) === last)
      if (at >= 0 && pool.length > 1) pool.splice(at, 1)
    }
  }

  const picked = (name: string, pick: number) => {
    const pool = pools.get(name)
    return pool?.[pick % pool.length]
  }

  return {
    canaries,
    credentials,
    keeper: { basic },

    fill({ slot, pick }, { request, principal, segment = '', name, beside, target = '' }) {
      if (slot === 'param' && name === 'provider') return 'default'
      if (slot === 'param' && name === 'username') return picked('accounts', pick)
      if (slot === 'param') return picked(segment, pick) ?? picked('request_id', pick) ?? pick
      if (slot === 'name') return picked('accounts', pick)
      if (slot === 'login') return [...passwords.keys()][pick % passwords.size]
      if (slot === 'newName') return `new-${pick}`
      if (slot === 'newPassword') return canaries.password(pick)
      if (slot === 'etag') return etags.get(target) ?? '"none"'
      if (slot === 'totp') {
        const code = codeFor(principal, service.now(), (pick % 3) - 1)
        if (code !== '000000') canaries.addCode(code)
        return code
      }
      if (slot === 'password') {
        const named = passwords.get(String(beside?.username))
        // Of a new account there is none yet.
        if (request.path === '/login') return named ?? canaries.password(pick)
        return beside?.username === undefined
          ? (principal?.password ?? '')
          : canaries.password(pick)
      }
      return picked(slot, pick) ?? (slot === 'users' ? pick : 'none')
    },

    // An id may have zeros before it.
    isKeeper: (text) =>
      /^0*1$/.test(asSegment(text)) || canonicalUsername(asSegment(text)) === username,

    learn(request, { target, body, principal }, answer) {
      const requestId = headerOf(answer, 'x-request-id')
      if (requestId !== undefined && pools.size > 0) keep('request_id', requestId)
      for (const [name, value] of answer.headers) {
        if (name !== 'set-cookie') continue
        const [, secret = ''] = /^[^=]*=([^;]*)/.exec(value) ?? []
        canaries.add(secret)
      }
      const isDone = answer.status < 300
      const etag = headerOf(answer, 'etag')
      if (isDone && etag !== undefined) etags.set(target, etag)
      if (isDone && request.method !== 'GET') {
        const text = `${decoded(target)} ${body}`
        for (const one of seeded) {
          const isNamed =
            text.includes(one.username) || new RegExp(`\\b${one.userId}\\b`).test(text)
          if (isNamed) touched.add(one.username)
        }
      }
      if (isDone && request.method === 'DELETE') forget(target)
      const json = parsed(answer)
      const segment = lastSegment(request.path)
      if (isDone || answer.status === 403) learnFields(json, segment)
      if (isDone && principal && typeof json?.secret === 'string')
        principal.totpSecret = json.secret
      if (isDone && json?.user_id !== undefined) notePassword(body)
    },

    async check() {
      const found: Finding[] = []
      const login = await ask('POST', '/login', { json: { username, password, mode: 'token' } })
      if (login.status !== 200) {
        found.push({
          kind: 'model',
          text: `the administrator cannot log in: ${login.status} ${login.body}`,
        })
        return found
      }
      for (const one of seeded) {
        if (touched.has(one.username)) continue
        const state = await stateOf(one)
        if (state !== one.state) {
          found.push({
            kind: 'model',
            text: `no request changed ${one.username}: ${one.state} is ${state}`,
          })
        }
      }
      return found
    },
  }

  function notePassword(body: string): void {
    try {
      const { username, password } = JSON.parse(body)
      if (typeof password === 'string') passwords.set(username, password)
    } catch {}
  }
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}

function parsed({ body }: ReadAnswer): Record<string, Value> | null {
  if (body.length > maxLearned) return null
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

/** The last segment of a path without parameters. */
function lastSegment(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith('{'))
  return parts.at(-1) ?? ''
}

export function filled(value: Value, world: World, place: Place): Value {
  if (isSlot(value)) return world.fill(value, place)
  if (Array.isArray(value)) return value.map((one) => filled(one, world, place))
  if (typeof value !== 'object' || value === null) return value
  // In order: a password belongs to the name before it.
  const result: Record<string, Value> = {}
  for (const [name, part] of Object.entries(value)) {
    const filledPart = filled(part, world, { ...place, beside: result })
    Object.defineProperty(result, name, {
      value: filledPart,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return result
}
