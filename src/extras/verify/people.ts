import type { Person, Scheme, Settings } from './check.ts'
import type { Answer, Sent } from './http.ts'
import type { Secrets } from './secrets.ts'
import type { Values } from './values.ts'

/** Why the rows that need something are not checked. */
export class NotCheckedHere extends Error {}

/** An account or a login that the service should have given. */
export class Unprepared extends Error {}

export interface Credentials {
  readonly username: string
  readonly password: string
}

export interface PeopleNeeds {
  readonly send: (sent: Sent) => Promise<Answer>
  readonly now: () => number
  readonly values: Values
  readonly settings: Settings
  readonly operator: Credentials | null
  /** Distinguishes the data of this run. */
  readonly mark: string
  readonly randomText: (bytes: number) => string
  readonly secrets: Pick<Secrets, 'addLogin'>
}

export interface People {
  /** The headers of a caller; logs in if it must. @throws NotCheckedHere, Unprepared */
  headersOf(scheme: Scheme, person: Person, isUnsafe: boolean): Promise<Record<string, string>>
  /** Creates an account; nothing if it is there. @throws NotCheckedHere, Unprepared */
  make(person: Person): Promise<void>
  /** Forgets logins, which time may have ended. */
  forget(): void
}

const accounts: Readonly<Record<Exclude<Person, 'operator'>, readonly string[]>> = {
  admin: ['ADMIN'],
  editor: ['ROLE_EDITOR'], // the prefix must be accepted
  user: ['USER'],
  other: ['USER'],
  plain: [],
  locked: ['USER'],
  disabled: ['USER'],
  target: ['USER'],
  guessed: ['USER'],
  colon: ['USER'],
  factor: ['USER'],
  leaver: ['USER'],
}

/** What an administrator sets after the account is made. */
const changes: Partial<Record<Person, object>> = {
  locked: { locked: true },
  disabled: { active: false },
}

export const personNames = ['operator', ...Object.keys(accounts)]

/** Makes accounts and logs in when a check first needs them. */
export function createPeople(needs: PeopleNeeds): People {
  const { mark, now, operator, randomText, secrets, send, settings, values } = needs
  const made = new Map<string, Promise<void>>()
  const logins = new Map<string, { headers: Record<string, string>; csrf: string; until: number }>()
  if (operator) {
    values.set('operator.username', operator.username)
    values.set('operator.password', operator.password)
  }

  return { headersOf, make, forget: () => logins.clear() }

  function make(person: Person): Promise<void> {
    const making = made.get(person) ?? makeAccount(person)
    made.set(person, making)
    return making
  }

  async function makeAccount(person: Person): Promise<void> {
    if (!operator) throw new NotCheckedHere('no administrator is given')
    if (person === 'operator') return
    const username = `verify-${mark}-${person}`
    const password = person === 'colon' ? `${randomText(9)}:ü:${randomText(9)}` : randomText(18)
    secrets.addLogin(username, password)
    const json = {
      username,
      password,
      roles: accounts[person],
      name: username,
      email: `${username}@example.invalid`,
    }
    const answer = await administer('POST', '/api/admin/accounts', json)
    const { user_id: id } = fieldsOf(answer)
    if (answer.status !== 201 || typeof id !== 'number') throw refused('an account', answer)
    for (const [name, value] of Object.entries({ id, subject: String(id), username, password })) {
      values.set(`${person}.${name}`, value)
    }
    const change = changes[person]
    if (change) await administer('PUT', `/api/admin/accounts/${username}`, change)
  }

  async function administer(method: string, path: string, json: object): Promise<Answer> {
    const headers = await headersOf('basic', 'operator', true)
    return send({ method, path, ...asJson(json, headers) })
  }

  async function headersOf(scheme: Scheme, person: Person, isUnsafe: boolean) {
    await make(person)
    if (scheme === 'basic') return { authorization: `Basic ${basicOf(person)}` }
    const key = `${scheme} ${person}`
    let login = logins.get(key)
    if (!login || login.until <= now()) {
      login = scheme === 'session' ? await session(person) : await bearer(person)
      logins.set(key, login)
    }
    const isCsrf = isUnsafe && login.csrf !== ''
    return { ...login.headers, ...(isCsrf && { 'x-csrf-token': login.csrf }) }
  }

  async function session(person: Person) {
    const form = new URLSearchParams({ ...credentials(person), mode: 'session' }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await send({ method: 'POST', path: '/login', headers: type, body: form })
    const name = settings.SESSION_COOKIE_NAME
    const cookie = answer.cookies.find((one) => one.startsWith(`${name}=`))
    if (answer.status !== 200 || cookie === undefined)
      throw refused(`the login of ${person}`, answer)
    return {
      headers: { cookie: cookie.split(';', 1)[0] ?? '' },
      csrf: String(fieldsOf(answer).csrf_token ?? ''),
      until: half(settings.SESSION_IDLE_SECONDS),
    }
  }

  async function bearer(person: Person) {
    const json = { ...credentials(person), mode: 'token' }
    const answer = await send({ method: 'POST', path: '/login', ...asJson(json) })
    const { token } = fieldsOf(answer)
    if (answer.status !== 200 || typeof token !== 'string')
      throw refused(`the login of ${person}`, answer)
    const headers = { authorization: `Bearer ${token}` }
    return { headers, csrf: '', until: half(settings.LOGIN_TOKEN_SECONDS) }
  }

  function half(seconds: string): number {
    return now() + Number(seconds) * 500
  }

  function credentials(person: Person): Credentials & Record<string, string> {
    const [username, password] = ['username', 'password'].map((name) =>
      String(values.get(`${person}.${name}`)),
    )
    return { username: username ?? '', password: password ?? '' }
  }

  function basicOf(person: Person): string {
    const { username, password } = credentials(person)
    return Buffer.from(`${username}:${password}`).toString('base64')
  }
}

/** Another implementation may lack the route, and a setting may forbid the request. */
function refused(what: string, { status, text }: Answer): Error {
  const message = `${what} is refused: ${status} ${text}`
  return [403, 404].includes(status) ? new NotCheckedHere(message) : new Unprepared(message)
}

/** Of a JSON object; none of another body. */
export function fieldsOf({ body }: Answer): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

function asJson(json: object, headers: Record<string, string> = {}) {
  const body = JSON.stringify(json)
  return { headers: { ...headers, 'content-type': 'application/json' }, body }
}
