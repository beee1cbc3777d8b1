import { setImmediate } from 'node:timers/promises'
import type { DatabaseOrTransaction } from '../database/database.ts'
import { type Guard, lockName, takeExclusiveLocks, transact } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import { ApiError, type Detail } from '../kernel/errors.ts'
import type { Role } from '../kernel/principal.ts'
import { hashingQueue } from '../passwords/hashing-queue.ts'
import type { Passwords } from '../passwords/passwords.ts'
import type { BreachQuery } from '../passwords/range-query.ts'
import { assertAcceptablePassword } from '../passwords/rules.ts'
import type { Deps } from '../runtime/deps.ts'
import { userEmail } from '../users/users.ts'
import { sensitiveCreate } from './events.ts'
import { lineReader, type Mistake, type WantedLine } from './line.ts'
import { splitLines } from './lines.ts'
import { type HashedLine, stage } from './stage.ts'
import { importStore } from './store.ts'

export interface ImportReport {
  readonly dryRun: boolean
  /** Lines that are not blank. */
  readonly lines: number
  /** Accounts made, or that would be: all of them or, where anything is wrong, none. */
  readonly imported: number
  /** The first of them, in the order of the lines. */
  readonly errors: readonly Mistake[]
  readonly errorsTotal: number
}

export interface ImportOptions {
  /** Finds every mistake and changes nothing. */
  readonly dryRun: boolean
  /** Looks at the roles of each line; refuses the import by throwing. */
  readonly assertMayGive?: (roles: readonly Role[]) => void
  /** Judges the caller between batches and in the last step; absent on the command line. */
  readonly guard?: Guard
  /** Told the number of lines read so far, now and then. */
  readonly onProgress?: (lines: number) => void
}

/** Accounts by the thousand. See docs/import.md for the format. */
export interface Imports {
  /**
   * Imports lines of JSON, all of them or none, at the memory of one batch. Users and accounts are
   * written in short transactions, unseen, while everything else goes on; one statement at the end
   * makes them seen. @throws ApiError serviceUnavailable; whatever reading the lines or `assertMayGive` throws
   */
  run(pieces: AsyncIterable<Uint8Array>, options: ImportOptions): Promise<ImportReport>
  /**
   * Removes up to `most` rows of imports whose process died; answers `most` where more may be left.
   */
  purge(most: number): Promise<number>
}

export interface ImportDeps extends Pick<Deps, 'config' | 'db' | 'asyncCommitDb' | 'clock'> {
  readonly events: Events
  readonly passwords: Passwords
  readonly isBreached: BreachQuery
}

const batchSize = 500
const maxErrors = 1000
const clearedAtOnce = 500
const touchEveryMs = 30_000
const deadAfterMs = 300_000
const retryMs = 1000

export function createImports(deps: ImportDeps): Imports {
  const { config, db, asyncCommitDb, clock, events, passwords } = deps
  // What an import writes before its last step need not outlive a loss of power: it is void then.
  const store = importStore(asyncCommitDb)
  // One hash at a time, of all imports: logins get the other turns.
  const oneAtATime = hashingQueue({ running: 1, waiting: Number.POSITIVE_INFINITY })

  return { run, purge }

  async function run(
    pieces: AsyncIterable<Uint8Array>,
    { dryRun, assertMayGive = () => {}, guard, onProgress = () => {} }: ImportOptions,
  ): Promise<ImportReport> {
    const readLine = await lineReader(config)
    await store.failUnseenSince(clock.now() - deadAfterMs)
    const id = await store.open(clock.now())
    const mistakes = gatherMistakes()
    let touchedAt = clock.now()
    let lines = 0
    let newUsers = 0
    let batch: WantedLine[] = []
    try {
      for await (const read of splitLines(seen(pieces))) {
        for (const line of read) {
          const wanted = readLine(line)
          if (wanted === null) continue
          lines += 1
          if ('username' in wanted) {
            assertMayGive(wanted.roles)
            batch.push(wanted)
          } else mistakes.add(line.number, wanted)
          if (batch.length >= batchSize) await stageBatch()
        }
        await setImmediate() // however fast the lines come
      }
      await stageBatch()
      const isDone = !dryRun && mistakes.total === 0 && (await finish())
      const imported = mistakes.total === 0 && (dryRun || isDone) ? lines : 0
      return { dryRun, lines, imported, errors: mistakes.first(), errorsTotal: mistakes.total }
    } finally {
      await giveUp(id).catch(() => {}) // the job will
    }

    async function* seen(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        await touch()
        yield piece
      }
    }

    /** Between batches that take long to come, or to hash. */
    async function touch(): Promise<void> {
      if (clock.now() - touchedAt < touchEveryMs) return
      touchedAt = clock.now()
      await guard?.judge(db)
      assertAlive(await store.touch(id, touchedAt))
    }

    async function stageBatch(): Promise<void> {
      const hashed: HashedLine[] = []
      for (const wanted of batch) {
        const passwordHash = await hashOf(wanted).catch((error: unknown) => {
          if (!(error instanceof ApiError) || !error.details) throw error
          mistakes.add(wanted.line, error.details)
          return null
        })
        if (passwordHash !== null) hashed.push({ ...wanted, passwordHash })
      }
      batch = []
      const now = clock.now()
      const writes = !dryRun && mistakes.total === 0
      const work = async (trx: DatabaseOrTransaction) => {
        await takeExclusiveLocks(trx, ...lockNamesOf(hashed)) // others may be making accounts of these names
        assertAlive(await importStore(trx).touch(id, now))
        return stage(trx, { id, lines: hashed, now, writes })
      }
      const staged = await transact(asyncCommitDb, [], work, guard)
      touchedAt = now
      newUsers += staged.newUsers
      for (const { line, ...detail } of staged.mistakes) mistakes.add(line, [detail])
      onProgress(lines)
      await setImmediate()
    }

    /** @throws ApiError validationFailed where the password breaks the rules for new ones */
    async function hashOf({ secret, username, user }: WantedLine): Promise<string> {
      if ('hash' in secret) return secret.hash
      await touch()
      const email = 'id' in user ? await userEmail(db, user.id) : user.email
      const text = secret.password
      await assertAcceptablePassword({ text, field: 'password', username, email }, deps)
      return dryRun || mistakes.total > 0 ? '' : hashPatiently(text)
    }

    async function finish(): Promise<boolean> {
      const makeSeen = async (trx: DatabaseOrTransaction) => {
        if (!(await importStore(trx).finish(id, newUsers))) return false
        await events.record(trx, sensitiveCreate, { what: 'account_import', count: lines })
        return true
      }
      const isDone = await transact(db, [], makeSeen, guard)
      if (isDone) return true
      const lost = await store.lost(id, maxErrors)
      assertAlive(lost.length > 0)
      for (const line of lost) mistakes.add(line, [{ path: ['username'], message: takenMeanwhile }])
      return false
    }
  }

  async function giveUp(id: number): Promise<void> {
    await store.fail(id)
    while ((await clear(id, clearedAtOnce)) > 0) await setImmediate()
  }

  async function purge(most: number): Promise<number> {
    await store.failUnseenSince(clock.now() - deadAfterMs)
    const id = await store.oldestEnded()
    if (id === null) return 0
    await clear(id, most)
    return most
  }

  function clear(id: number, most: number): Promise<number> {
    return transact(asyncCommitDb, [], (trx) => importStore(trx).clear(id, most))
  }

  /** Logins fill the queue at times: an import waits until they leave room. */
  function hashPatiently(text: string): Promise<string> {
    return oneAtATime.run(async () => {
      for (;;) {
        try {
          return await passwords.hash(text)
        } catch (error) {
          if (!(error instanceof ApiError) || error.row !== 'serviceUnavailable') throw error
        }
        await clock.wait(retryMs)
      }
    })
  }
}

const takenMeanwhile = 'was taken while the import went on, or its user was deleted'

function lockNamesOf(lines: readonly HashedLine[]): string[] {
  return lines.flatMap(({ username, user }) => [
    lockName.username(username),
    ...('id' in user ? [lockName.account(user.id)] : []),
  ])
}

/** @throws ApiError serviceUnavailable where another process took the import for dead */
function assertAlive(isAlive: boolean): void {
  if (!isAlive) throw new ApiError('serviceUnavailable', { cause: 'the import was given up' })
}

/** All are counted, the first are kept. */
function gatherMistakes() {
  const kept: Mistake[] = []
  let total = 0
  return {
    get total() {
      return total
    },
    add(line: number, details: readonly Detail[]): void {
      total += details.length
      for (const detail of details) if (kept.length < maxErrors) kept.push({ line, ...detail })
    },
    first: (): Mistake[] => kept.toSorted((one, other) => one.line - other.line),
  }
}
