import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChangeFeed } from '../src/core/database/database.ts'
import { loadRevocations } from '../src/modules/tokens/revocations.ts'
import { userStore } from '../src/modules/users/store.ts'
import { afterwards } from './afterwards.ts'
import { fixedClock } from './clock.ts'
import { loadConfig } from './config.ts'
import {
  connectTo,
  deafFeed,
  leaveDatabase,
  placeSqliteFile,
  type TestConnected,
} from './database.ts'

/** Of a process that alone writes: it knows its own changes. */
const quietFeed = { ...deafFeed, isCurrent: () => true }

/** Revocations on a database of their own, and a second process on the same database. */
export async function twoProcesses(feed: ChangeFeed = quietFeed) {
  const clock = fixedClock()
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const opened: TestConnected[] = []
  // Before anything is awaited: later the hook would belong to another file of the process.
  afterwards(async () => {
    for (const { db } of opened) await db.destroy()
    await leaveDatabase(directory)
    rmSync(directory, { recursive: true, force: true })
  })
  await placeSqliteFile(directory)
  const connection = async () => {
    const connected = await connectTo({ directory })
    opened.push(connected)
    return connected
  }
  const [{ db, asyncCommitDb }, other] = [await connection(), await connection()]
  const { id: userId } = await userStore(db).insert({ name: 'Ann', email: 'ann@example.org' })
  const emitted: unknown[] = []
  const events = {
    async emitInTransaction(_: unknown, type: { name: string }, payload: object) {
      emitted.push([type.name, payload])
    },
  }
  const config = loadConfig({ ACCESS_TOKEN_SECONDS: '900', REFRESH_TOKEN_SECONDS: '604800' })
  const load = (on: Pick<typeof other, 'db' | 'asyncCommitDb' | 'feed'>) =>
    loadRevocations({ ...{ ...on, clock, config }, events } as unknown as Parameters<
      typeof loadRevocations
    >[0])
  const one = await load({ db, asyncCommitDb, feed })
  const log = () => db.selectFrom('revocations').selectAll().orderBy('id').execute()
  const seconds = () => clock.now() / 1000
  const claimsOf = (jti: string, more: object = {}) => ({
    ...{ jti, sub: String(userId), ver: 1, iat: seconds() },
    ...more,
  })
  return { clock, db, userId, one, load: () => load(other), log, seconds, claimsOf, emitted }
}
