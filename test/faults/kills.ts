import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import { auditProblems } from './audit.ts'
import type { RestartableCluster } from './cluster.ts'
import { Journal } from './journal.ts'
import { isReady, prepareNode } from './node.ts'
import { waitUntil } from './waiting.ts'

export interface KillFigures {
  readonly kills: number
  readonly acknowledged: number
  readonly unanswered: number
  readonly lost: readonly string[]
  readonly half: readonly string[]
  /** What SQLite says of its file after each kill; PostgreSQL recovers by itself. */
  readonly integrity: readonly string[]
  /** What is wrong with the audit log after each kill. */
  readonly audit: readonly string[]
  /** After each kill: milliseconds until the service was ready again. */
  readonly readyMs: readonly number[]
}

export interface KillOptions {
  readonly kills: number
  /** How many changes are acknowledged before each kill, about: every kill comes at another moment. */
  readonly changes: number
  /** Without one: SQLite. */
  readonly cluster?: RestartableCluster
  readonly victim: 'service' | 'postmaster'
  /** How many processes the service has; one unless given. */
  readonly workers?: number
}

/** R1: kill -9 in the middle of writing, again and again; then the database against the journal. */
export async function killUnderLoad({
  kills,
  changes,
  cluster,
  victim,
  workers = 1,
}: KillOptions): Promise<KillFigures> {
  const database = await cluster?.createDatabase()
  const url = cluster && database ? cluster.url(database) : undefined
  const node = prepareNode({
    env: { WORKERS: String(workers), ...(url !== undefined && { DATABASE_URL: url }) },
  })
  const journal = new Journal()
  const lost: string[] = []
  const half: string[] = []
  const integrity: string[] = []
  const audit: string[] = []
  const readyMs: number[] = []
  try {
    await node.start()
    for (let kill = 0; kill < kills; kill += 1) {
      const writing = journal.write(node)
      const enough = journal.acknowledged + changes * (0.5 + ((kill * 0.37) % 1))
      await waitUntil('enough changes', () => journal.acknowledged >= enough, { everyMs: 1 })
      if (victim === 'postmaster') await cluster?.end('SIGKILL')
      else await node.kill()
      journal.stop()
      await writing
      if (victim === 'postmaster') {
        await cluster?.start()
        readyMs.push(await waitUntil('ready', () => isReady(node)))
      } else {
        if (!cluster) integrity.push(integrityOf(node.directory))
        readyMs.push(await node.start())
      }
      const comparison = await journal.compare(node)
      lost.push(...comparison.lost)
      half.push(...comparison.half)
      audit.push(...(await auditProblems(node.directory, url)))
    }
  } finally {
    await node.remove()
  }
  const { acknowledged, unanswered } = journal
  return { kills, acknowledged, unanswered, lost, half, integrity, audit, readyMs }
}

/** What SQLite finds in the file of a folder. */
export function integrityOf(directory: string): string {
  const db = new DatabaseSync(join(directory, databaseFileName), { timeout: 10_000 })
  try {
    return String(db.prepare('pragma integrity_check').get()?.integrity_check)
  } finally {
    db.close()
  }
}
