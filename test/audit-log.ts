import { writeFileSync } from 'node:fs'
import type { Database } from '../src/core/database/database.ts'
import type { Schema } from '../src/core/database/schema.ts'
import { transact } from '../src/core/database/transactions.ts'
import { type EventContext, inContextOf } from '../src/core/events/context.ts'
import type { Deps } from '../src/core/runtime/deps.ts'
import { eventsOf } from '../src/core/runtime/sinks.ts'
import { createAudit } from '../src/modules/audit/audit.ts'
import { type AuditProof, createAuditProof } from '../src/modules/audit/proof.ts'
import type { Verification } from '../src/modules/audit/verify/report.ts'
import { verifyAudit } from '../src/modules/audit/verify/verify.ts'
import type { AuditKeys } from '../src/modules/keys/audit-keys.ts'
import { loadKeySet } from '../src/modules/keys/key-set.ts'
import { testEvent } from './events.ts'
import { usersOfIds } from './users-of-ids.ts'

const noted = testEvent<{ user_id: number | null; name: string; note: number }>('user_updated')

/** What must never leave the service, and is in every record that `recordEvents` makes. */
export const canaries = { name: 'canary of a name', address: '203.0.113.77', agent: 'canary/1.0' }

/**
 * Records events in as many transactions: of seven persons and of none, from an address; `together`
 * in each transaction.
 */
export async function recordEvents(
  { db, events }: Pick<Deps, 'db' | 'events'>,
  count: number,
  { together = 1 } = {},
): Promise<void> {
  await usersOfIds(db, 1000, 1006)
  for (let done = 0; done < count; done += together) {
    const contexts = Array.from({ length: Math.min(together, count - done) }, (_, index) =>
      contextOf(done + index),
    )
    await transact(db, [], async (trx) => {
      for (const [index, context] of contexts.entries()) {
        const user_id = (done + index) % 8 === 7 ? null : 1000 + ((done + index) % 8)
        const payload = { user_id, name: canaries.name, note: done + index }
        await inContextOf({ eventContext: () => context }, () =>
          events.emitInTransaction(trx, noted, payload),
        )
      }
    })
  }
}

function contextOf(note: number): EventContext {
  return {
    by: note % 8 === 7 ? 'cli' : String(1000 + (note % 5)),
    address: canaries.address,
    scheme: 'bearer',
    requestId: `request-${note}`,
    request: {
      method: 'PUT',
      route: '/users/:id',
      successStatus: 200,
      userAgent: canaries.agent,
      proxies: [],
      session: null,
      token: null,
      keyId: null,
      factors: ['pwd'],
      username: canaries.name,
    },
  }
}

/** The keys of the audit log of a service. */
export async function auditKeys(deps: Deps): Promise<AuditKeys> {
  return (await loadKeySet(deps)).audit
}

/** The proof of another process on the database of a service, with its own settings. */
export async function proofOf(
  deps: Deps,
  audit: Partial<Deps['config']['audit']> = {},
  dataDirectory = deps.config.database.dataDirectory,
): Promise<AuditProof> {
  const config = {
    ...deps.config,
    audit: { ...deps.config.audit, ...audit },
    database: { ...deps.config.database, dataDirectory },
  }
  return createAuditProof({ ...deps, config, keys: await loadKeySet(deps) })
}

/** Another process on the database of a service: it writes chains of its own. */
export function otherProcess(deps: Deps): Deps {
  const other = { ...deps, events: eventsOf(deps) }
  createAudit(other)
  return other
}

/** Verifies the audit log of a service, against these lines of a file outside. */
export async function verified(deps: Deps, lines?: readonly string[]): Promise<Verification> {
  const keys = await auditKeys(deps)
  return verifyAudit({ db: deps.db, keys }, lines ? { outside: inTurn(lines) } : {})
}

async function* inTurn(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

const auditTables = [
  'audit_chains',
  'audit_subjects',
  'audit_records',
  'audit_checkpoints',
  'audit_tombstones',
] as const satisfies readonly (keyof Schema)[]

/** All rows of the tables of the audit log. */
export type AuditRows = Readonly<Record<(typeof auditTables)[number], readonly object[]>>

/** Copies the tables of the audit log. */
export async function copyAudit(db: Database): Promise<AuditRows> {
  const rows: Partial<Record<(typeof auditTables)[number], object[]>> = {}
  for (const table of auditTables) {
    rows[table] = (await db.selectFrom(table).selectAll().execute()).map((row) => ({ ...row }))
  }
  return rows as AuditRows // one for each of the tables
}

/** Puts a copy in the place of the tables of the audit log. */
export async function replaceAudit(db: Database, copy: AuditRows): Promise<void> {
  for (const table of auditTables) {
    await db.deleteFrom(table).execute()
    for (let from = 0; from < copy[table].length; from += 50) {
      const some = copy[table].slice(from, from + 50)
      await db
        .insertInto(table)
        .values(some as never)
        .execute() // the rows of the same table
    }
  }
}

/** Writes lines of a file. */
export function writeLines(path: string, lines: readonly string[]): void {
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
}
