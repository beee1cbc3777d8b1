import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { digest } from '../../src/core/crypto/digest.ts'
import { basic, bearer, type ServiceNode } from '../../test/faults/node.ts'

const tokenSecret = 'the secret of tokens that are made here'
/** Settings of nodes that accept tokens made here. */
export const mintSettings = { TOKEN_ALGORITHM: 'HS256', TOKEN_SECRET: tokenSecret }
const password = 'quiet melons sail north'

export interface Person {
  readonly username: string
  readonly userId: number
  /** Header of the token of the person's login. */
  readonly header: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** Makes credentials without logins, whose hashes would take most of the time. */
export interface Credentials {
  readonly people: readonly Person[]
  /** A token of a person, with its present version. */
  token(person: Person): Promise<{ headers: Record<string, string>; jti: string; exp: number }>
  /** A session, and its headers. */
  session(person: Person): Promise<{ id: string; headers: Record<string, string> }>
  /** Request headers of the session at an application. */
  hostSession(sessionId: string, origin: string): Promise<Record<string, string>>
  close(): Promise<void>
}

export async function credentialsOf(
  node: ServiceNode,
  database: string,
  count: number,
): Promise<Credentials> {
  const pool = new pg.Pool({ connectionString: database, max: 4 })
  pool.on('error', () => {}) // the server may be killed
  const query = async (text: string, values: unknown[]): Promise<Record<string, unknown>[]> =>
    (await pool.query(text, values)).rows
  const people: Person[] = []
  while (people.length < count) people.push(await newPerson(node, `person-${people.length}`))

  return {
    people,

    async token({ userId, header, claims }) {
      const [row] = await query('select access_version from token_versions where user_id = $1', [
        userId,
      ])
      const [jti, exp] = [randomUUID(), Number(claims.exp)]
      const own = { ...claims, jti, ver: Number(row?.access_version) }
      const signed = `${header}.${Buffer.from(JSON.stringify(own)).toString('base64url')}`
      const mac = createHmac('sha256', tokenSecret).update(signed).digest('base64url')
      return { headers: bearer(`${signed}.${mac}`), jti, exp }
    },

    async session({ userId }) {
      const [secret, csrf] = [randomText(), randomText()]
      const [id, now] = [digest(secret), Date.now()]
      await query(
        `insert into sessions (id, user_id, csrf_token, amr, created_at, last_seen_at, address,
          user_agent, auth_time) values ($1, $2, $3, 'pwd', $4, $4, '127.0.0.1', '', $4)`,
        [id, userId, csrf, now],
      )
      return { id, headers: { cookie: `JSESSIONID=${secret}`, 'x-csrf-token': csrf } }
    },

    async hostSession(sessionId, origin) {
      const secret = randomText()
      const values = [digest(secret), sessionId, origin, Date.now()]
      await query(
        'insert into forward_sessions (id, session_id, origin, created_at) values ($1, $2, $3, $4)',
        values,
      )
      return { cookie: `__Host-gatehouse=${secret}` }
    },

    close: () => pool.end(),
  }
}

async function newPerson(node: ServiceNode, username: string): Promise<Person> {
  const json = { username, password, roles: ['USER'], name: 'Ann', email: 'ann@example.org' }
  const made = await node.caller.call('POST', '/api/admin/accounts', { headers: basic, json })
  if (made.status !== 201) throw new Error(`no account: ${JSON.stringify(made.body)}`)
  const login = await node.login('token', { username, password })
  const [header = '', claims = ''] = String(login.body.token).split('.')
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString())
  return { username, userId: Number(read.sub), header, claims: read }
}

function randomText(): string {
  return randomBytes(32).toString('base64url')
}
