import { digest } from '../src/core/crypto/digest.ts'
import type { Connected, Database } from '../src/core/database/database.ts'
import { transact } from '../src/core/database/transactions.ts'
import type { EventType } from '../src/core/events/types.ts'
import type { ProvenAccount } from '../src/modules/authentication/completion.ts'
import { createRequirements } from '../src/modules/authentication/requirements.ts'
import { createSessions, type NewSession, type Sessions } from '../src/modules/sessions/sessions.ts'
import type { FixedClock } from './clock.ts'
import { loadConfig } from './config.ts'
import { seededRandom } from './random.ts'

export interface Noted {
  readonly name: string
  readonly payload: unknown
}

let seeds = 0

/**
 * The sessions of one process on a database. `events`: the events of its changes. `ended`: the options
 * with which logins of accounts were ended.
 */
export function sessionsOn(
  { db, feed }: Pick<Connected, 'db' | 'feed'>,
  clock: FixedClock,
  env: Readonly<Record<string, string>> = {},
) {
  const config = loadConfig({ NODE_ENV: 'test', BASE_URL: 'https://auth.example', ...env })
  const events: Noted[] = []
  const ended: unknown[] = []
  seeds += 1
  const stubs = {
    accounts: {
      async endLogins(userId: number, options: { also?: (trx: Database) => Promise<void> }) {
        const { also, ...rest } = options
        ended.push([userId, rest])
        await also?.(db)
        return userId === 1
      },
    },
    events: {
      async emitInTransaction(_trx: Database, { name }: EventType, payload: unknown) {
        events.push({ name, payload })
      },
    },
  }
  const requirements = createRequirements({ config, clock })
  const random = seededRandom(seeds)
  const used = { ...stubs, db, asyncCommitDb: db, feed, clock, config, random, requirements }
  const sessions = createSessions(used as unknown as Parameters<typeof createSessions>[0])
  return { sessions, events, ended }
}

export interface Start {
  readonly userId?: number
  readonly keeps?: 'asked' | 'as before'
  /** The value of the cookie that comes with the login. */
  readonly replaces?: string
  /** The sessions of the account before the login. */
  readonly stored?: number
  readonly amr?: readonly string[]
  readonly on?: Sessions
}

/** Starts sessions as a login does, and reads their state, on `sessions` unless others are named. */
export function startsOn(db: Database, clock: FixedClock, sessions: Sessions) {
  return {
    start({ userId = 1, keeps, replaces, stored = 0, amr = ['pwd'], on = sessions }: Start = {}) {
      const roles = userId === 3 ? ['ADMIN'] : ['USER']
      const account = { userId, username: `user${userId}`, roles }
      const keeping = keeps && { keeps }
      const present = { account, sessions: stored, amr, authTime: clock.now(), ...keeping }
      const client = { address: '192.0.2.1', userAgent: 'x'.repeat(300), replaces }
      // The account is in the database.
      return transact(db, [], (trx) => on.start(trx, present as unknown as ProvenAccount, client))
    },
    /** The code of the reason, or when the session ends, in seconds from now. */
    async stateOf({ secret }: Pick<NewSession, 'secret'>, on: Sessions = sessions) {
      const answer = await on.resume(secret)
      return 'ended' in answer ? answer.ended.code : (answer.expiresAt - clock.now()) / 1000
    },
  }
}

/** Stores copies of the row of a session, each with another id. */
export async function addCopies(
  db: Database,
  { secret }: Pick<NewSession, 'secret'>,
  count: number,
): Promise<void> {
  const row = await db
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', digest(secret))
    .executeTakeFirstOrThrow()
  const rows = Array.from({ length: count }, (_, index) => ({ ...row, id: `id ${index}` }))
  await db.insertInto('sessions').values(rows).execute()
}
