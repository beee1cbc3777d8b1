import { sql } from 'kysely'
import type { Clock } from '../kernel/clock.ts'
import { type Database, execute } from './connect.ts'
import * as foundation from './migrations/0001-foundation.ts'
import * as loginLimits from './migrations/0002-login-limits.ts'
import * as revocations from './migrations/0003-revocations.ts'
import * as secondFactor from './migrations/0004-second-factor.ts'
import * as idempotency from './migrations/0005-idempotency.ts'
import * as posts from './migrations/0006-posts.ts'
import * as administration from './migrations/0007-administration.ts'
import * as imports from './migrations/0008-imports.ts'
import * as identities from './migrations/0009-identities.ts'

/** In order, append only: a migration that has run anywhere is never edited. */
const migrations: readonly { readonly statements: readonly string[] }[] = [
  foundation,
  loginLimits,
  revocations,
  secondFactor,
  idempotency,
  posts,
  administration,
  imports,
  identities,
]

/** The version of the schema that this program works with. */
export const latestSchema = migrations.length

/**
 * Brings the schema up to date in one transaction, so that a kill in the middle leaves the old one
 * and two processes that start at once apply it once. Answers how many migrations ran.
 * @throws Error where the database is newer than this program, or older and `mayChange` is false
 */
export async function migrate(
  db: Database,
  clock: Clock,
  { mayChange = true } = {},
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    await execute(
      trx,
      'create table if not exists schema_version (version integer primary key, applied_at integer not null) strict',
    )
    const { version } = await trx
      .selectFrom('schema_version')
      .select(sql<number>`coalesce(max(version), 0)`.as('version'))
      .executeTakeFirstOrThrow()
    if (version > migrations.length) {
      throw new Error(
        `the database has schema ${version}, this program knows ${migrations.length}: start a newer Gatehouse`,
      )
    }
    if (version < migrations.length && !mayChange) {
      throw new Error(
        `the database has schema ${version}, this program works with ${migrations.length}: stop what still works on it, and run \`gatehouse migrate\``,
      )
    }
    for (const [index, { statements }] of migrations.entries()) {
      if (index < version) continue
      for (const statement of statements) await execute(trx, statement)
      await trx
        .insertInto('schema_version')
        .values({ version: index + 1, applied_at: clock.now() })
        .execute()
    }
    return migrations.length - version
  })
}
