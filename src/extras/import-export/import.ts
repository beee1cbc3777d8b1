import { setImmediate } from 'node:timers/promises'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import {
  type Guard,
  lockName,
  takeExclusiveLocks,
  transact,
} from '../../core/database/transactions.ts'
import { ApiError, type Detail } from '../../core/errors.ts'
import type { Static } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Role } from '../../core/policy/principal.ts'
import { hashingQueue } from '../../modules/passwords/hashing-queue.ts'
import { assertAcceptablePassword } from '../../modules/passwords/rules.ts'
import { userEmail } from '../../modules/users/users.ts'
import { sensitiveCreate } from './events.ts'
import { changeKnown, type Difference, differencesOf } from './foreign-changes.ts'
import { type AccountLine, lineReader, type Mistake } from './line.ts'
import { gatherPreview } from './preview.ts'
import { type FileFormat, type ReadRecord, readRecords } from './read-records.ts'
import { type ImportBody, transferSchemas } from './schemas.ts'
import { type HashedLine, stage } from './stage.ts'
import { importStore, leaseMs } from './store.ts'

/** The export of another product. */
export interface ForeignImport {
  readonly source: string
  /** In place of `readRecords`. */
  readonly read: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<ReadRecord[]>
  /** Reads the file once more, to change accounts that came in before. */
  readonly again: () => AsyncIterable<ReadRecord[]>
  /** Whether a further import changes roles. */
  readonly changesRoles: boolean
}

export interface ImportReport {
  readonly dryRun: boolean
  /** Non-blank lines, rows, or array elements. */
  readonly lines: number
  /** Accounts created, or to be created; 0 after an error. */
  readonly imported: number
  /** The first errors, by line. */
  readonly errors: readonly Mistake[]
  readonly errorsTotal: number
  /** Unknown columns of a table. */
  readonly ignoredColumns: readonly string[]
  readonly preview?: Static<typeof ImportBody>['preview']
  /** Of a foreign import: accounts changed, or to be changed. */
  readonly changed?: number
  /** The first of a dry run. */
  readonly differences?: readonly Difference[]
}

export interface ImportOptions {
  readonly dryRun: boolean
  /** Lines to show per outcome of a dry run. Default: 0. */
  readonly preview?: number
  /** The fallback format: see `readRecords`. */
  readonly otherwise: FileFormat
  readonly foreign?: ForeignImport
  readonly assertMayGive?: (roles: readonly Role[]) => void
  /** Reauthorizes the caller between batches and at the end; absent on the command line. */
  readonly guard?: Guard
  /** After each batch. */
  readonly onProgress?: (lines: number) => void
}

export type Imports = ReturnType<typeof createImports>

type ImportNeeds = Pick<
  Needs,
  | 'accountFields'
  | 'accounts'
  | 'asyncCommitDb'
  | 'clock'
  | 'config'
  | 'db'
  | 'events'
  | 'isBreached'
  | 'keys'
  | 'passwords'
  | 'random'
  | 'users'
>

const batchSize = 500
const maxErrors = 1000
const clearBatchSize = 50 // as in a purge
const touchEveryMs = 30_000
const retryMs = 1000
const maxUnderWay = 100

export function createImports(deps: ImportNeeds) {
  const { accountFields, config, db, asyncCommitDb, clock, events, passwords } = deps
  // Asynchronous commit: a power failure ends the import anyway.
  const store = importStore(asyncCommitDb)
  // Imports share one hash computation at a time, so that logins stay fast.
  const oneAtATime = hashingQueue({ running: 1, waiting: Number.POSITIVE_INFINITY })

  return { run, purge, underWay }

  /** On all nodes, oldest first; at most 100. */
  function underWay() {
    return importStore(db).underWay(clock.now() - leaseMs, maxUnderWay)
  }

  /**
   * All accounts or none, with one batch in memory. Short transactions stage the rows; one
   * statement makes them visible. docs/import.md
   * @throws ApiError serviceUnavailable; errors of reading and of `assertMayGive`
   */
  async function run(
    pieces: AsyncIterable<Uint8Array>,
    options: ImportOptions,
  ): Promise<ImportReport> {
    const {
      dryRun,
      preview = 0,
      foreign,
      assertMayGive = () => {},
      guard,
      onProgress = () => {},
    } = options
    const fields = accountFields()
    const readLine = await lineReader(config, fields)
    const { ImportLine } = transferSchemas(config.roles)
    await store.failGone(clock.now())
    const id = await store.open(clock.now(), dryRun)
    const previewed = gatherPreview(preview)
    const mistakes = gatherMistakes()
    let touchedAt = clock.now()
    let lines = 0
    let newUsers = 0
    let known = 0
    const differences = gatherDifferences(preview)
    let batch: AccountLine[] = []
    let ignoredColumns: readonly string[] = []
    try {
      const reading = {
        ...{ otherwise: options.otherwise, required: ImportLine.required },
        onIgnored(columns: readonly string[]) {
          ignoredColumns = columns
        },
      }
      const records = foreign
        ? foreign.read(touching(pieces))
        : readRecords(touching(pieces), reading)
      for await (const read of records) {
        for (const record of read) {
          const wanted = readLine(record)
          lines += 1
          if ('username' in wanted) {
            assertMayGive(wanted.roles)
            batch.push(wanted)
          } else {
            mistakes.add(record.line, wanted)
            previewed.refuse(record.line, null, wanted)
          }
          if (batch.length >= batchSize) await stageBatch()
        }
        await setImmediate() // lets other requests run when lines arrive fast
      }
      await stageBatch()
      const isDone = !dryRun && mistakes.total === 0 && (await finish())
      const imported = mistakes.total === 0 && (dryRun || isDone) ? lines - known : 0
      const changed =
        foreign && isDone && known > 0 ? await changeLater(foreign) : differences.total
      const report = { dryRun, lines, imported, errors: mistakes.first(), ignoredColumns }
      return {
        ...{ ...report, errorsTotal: mistakes.total },
        ...(preview > 0 && { preview: await previewed.lines(importStore(db)) }),
        ...(foreign && { changed, differences: differences.first }),
      }
    } finally {
      await abandon(id).catch(() => {}) // the job retries
    }

    async function* touching(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        await touch()
        yield piece
      }
    }

    async function changeLater(foreign: ForeignImport): Promise<number> {
      const { changed, mistakes: found } = await changeKnown(deps, batches(), foreign)
      for (const { line, ...detail } of found) mistakes.add(line, [detail])
      return changed

      async function* batches(): AsyncGenerator<readonly AccountLine[]> {
        for await (const records of foreign.again()) {
          yield records.map(readLine).filter((line) => 'username' in line)
        }
      }
    }

    /** Keeps the lease alive during slow batches. */
    async function touch(): Promise<void> {
      if (clock.now() - touchedAt < touchEveryMs) return
      touchedAt = clock.now()
      await guard?.authorize(db)
      assertAlive(await store.touch(id, touchedAt, lines))
    }

    async function stageBatch(): Promise<void> {
      const hashed: HashedLine[] = []
      for (const wanted of batch) {
        try {
          hashed.push({ ...wanted, passwordHash: await hashOf(wanted) })
        } catch (error) {
          if (!(error instanceof ApiError) || !error.details) throw error
          mistakes.add(wanted.line, error.details)
          previewed.refuse(wanted.line, wanted, error.details)
        }
      }
      batch = []
      const now = clock.now()
      const writes = !dryRun && mistakes.total === 0
      const work = async (trx: DatabaseOrTransaction) => {
        await takeExclusiveLocks(trx, ...lockNamesOf(hashed)) // others may create these names
        assertAlive(await importStore(trx).touch(id, now, lines))
        const staging = foreign ? { ...deps, source: foreign.source } : null
        return stage(trx, { id, lines: hashed, now, writes, foreign: staging, fields })
      }
      const staged = await transact(asyncCommitDb, [], work, guard)
      touchedAt = now
      newUsers += staged.newUsers
      known += staged.known.length
      if (foreign) differences.add(await differencesOf(db, staged.known, foreign))
      const again = new Set(staged.known.map(({ line }) => line.line))
      const refused = new Map(staged.mistakes.map(({ line, ...detail }) => [line, detail]))
      for (const [line, detail] of refused) mistakes.add(line, [detail])
      for (const wanted of hashed) {
        const detail = refused.get(wanted.line)
        if (detail) previewed.refuse(wanted.line, wanted, [detail])
        else if (!again.has(wanted.line)) previewed.admit(wanted)
      }
      onProgress(lines)
      await setImmediate()
    }

    /** @throws ApiError validationFailed for a password against the rules */
    async function hashOf({ secret, username, user }: AccountLine): Promise<string | null> {
      if (secret === 'none') return null
      await touch()
      const stores = !dryRun && mistakes.total === 0
      if ('hash' in secret) {
        return stores ? patiently(() => passwords.storable(secret.hash)) : secret.hash
      }
      const email = 'id' in user ? await userEmail(db, user.id) : user.email
      const text = secret.password
      await assertAcceptablePassword({ text, field: 'password', username, email }, deps)
      return stores ? patiently(() => passwords.hash(text)) : ''
    }

    async function finish(): Promise<boolean> {
      const complete = async (trx: DatabaseOrTransaction) => {
        if (!(await importStore(trx).finish(id, newUsers))) return false
        await events.emitInTransaction(trx, sensitiveCreate, {
          what: 'account_import',
          count: lines - known,
        })
        return true
      }
      const isDone = await transact(db, [], complete, guard)
      if (isDone) return true
      const lost = await store.lost(id, maxErrors)
      assertAlive(lost.length > 0)
      for (const line of lost) mistakes.add(line, [{ path: ['username'], message: takenMeanwhile }])
      return false
    }
  }

  async function abandon(id: number): Promise<void> {
    await store.fail(id)
    while ((await clear(id, clearBatchSize)) > 0) await setImmediate()
  }

  /** Deletes rows of imports whose process died; returns `batchSize` if more may remain. */
  async function purge(batchSize: number): Promise<number> {
    await store.failGone(clock.now())
    const id = await store.oldestEnded()
    if (id === null) return 0
    await clear(id, batchSize)
    return batchSize
  }

  function clear(id: number, batchSize: number): Promise<number> {
    return transact(asyncCommitDb, [], (trx) => importStore(trx).clear(id, batchSize))
  }

  /** Waits while logins fill the hashing queue. */
  function patiently(hash: () => Promise<string>): Promise<string> {
    return oneAtATime.run(async () => {
      for (;;) {
        try {
          return await hash()
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

/** @throws ApiError serviceUnavailable if another process ended the import as dead */
function assertAlive(isAlive: boolean): void {
  if (isAlive) return
  const reason = { code: 'import_given_up' } as const
  throw new ApiError('serviceUnavailable', { cause: 'the import was given up', reason })
}

/** Keeps the first. */
function gatherDifferences(max: number) {
  const first: Difference[] = []
  let total = 0
  return {
    first,
    get total() {
      return total
    },
    add(found: readonly Difference[]): void {
      total += found.length
      first.push(...found.slice(0, Math.max(0, max - first.length)))
    },
  }
}

function gatherMistakes() {
  const kept: Mistake[] = []
  let total = 0
  return {
    get total() {
      return total
    },
    add(line: number, details: readonly Detail[]): void {
      total += details.length
      for (const { message, path } of details) {
        if (kept.length < maxErrors) kept.push({ line, message, path })
      }
    },
    first: (): Mistake[] => kept.toSorted((one, other) => one.line - other.line),
  }
}
