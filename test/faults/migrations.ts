import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { connect } from '../../src/core/database/connect.ts'
import { type Database, execute } from '../../src/core/database/database.ts'
import * as foundation from '../../src/core/database/migrations/0001-foundation.ts'
import { statementsFor } from '../../src/core/database/migrations/statement.ts'
import { parsePostgresAddress } from '../../src/core/database/postgres/address.ts'
import { fillOldPostgres, placeOldFile, shown } from '../migration/old-database.ts'
import type { RestartableCluster } from './cluster.ts'
import { basic, basicOf, prepareNode, type ServiceNode } from './node.ts'

const users = 500
export const latest = readdirSync(
  join(import.meta.dirname, '../../src/core/database/migrations'),
).filter((name) => /^\d{4}-/.test(name)).length

/**
 * What a database has at first: nothing; the first schema and users; or the schema of the version
 * before, and of everything some.
 */
export type Contents = 'nothing' | 'users' | 'everything'

/** An old database, and a node of the present program that knows it. */
export interface OldDatabase {
  node(env?: Record<string, string>): ServiceNode
  /** The versions that its schema says it has. */
  versions(): Promise<number[]>
  claim(version: number): Promise<void>
}

export async function oldDatabase(
  cluster: RestartableCluster | null,
  contents: Contents = 'users',
): Promise<OldDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-fault-'))
  const url = cluster?.url(await cluster.createDatabase())
  // A session of the service, or an open file, would hold up a migration that takes away.
  const named = url && `${url}${url.includes('?') ? '&' : '?'}application_name=faults`
  const postgres = named === undefined ? undefined : parsePostgresAddress(named, () => true)
  const within = async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
    const { db } = connect({ dataDirectory: directory, timeoutMs: 5000, postgres })
    try {
      return await work(db)
    } finally {
      await db.destroy()
    }
  }
  if (contents === 'everything') {
    if (cluster) await within((db) => db.transaction().execute(fillOldPostgres))
    else placeOldFile(directory)
  }
  if (contents === 'users') {
    const versionTable =
      'create table schema_version (version integer primary key, applied_at integer not null) strict'
    const database = cluster ? 'postgres' : 'sqlite'
    await within((db) =>
      db.transaction().execute(async (trx) => {
        for (const statement of statementsFor(database, [versionTable, ...foundation.statements])) {
          await execute(trx, statement)
        }
        await trx.insertInto('schema_version').values({ version: 1, applied_at: 1 }).execute()
        const user = { name: 'A', email: 'a@b.co', name_key: 'a', email_key: 'a@b.co' }
        await trx.insertInto('users').values(Array(users).fill(user)).execute()
      }),
    )
  }
  return {
    node: (env = {}) =>
      prepareNode({
        directory,
        env: { ...(url !== undefined && { DATABASE_URL: url }), ...env },
        ...(env.DIE_AT_STATEMENT !== undefined && {
          flags: ['--import', './test/faults/die-at-statement.ts'],
          entry: 'test/faults/from-sources.ts',
        }),
      }),
    versions: () =>
      within(async (db) => {
        const rows = await db.selectFrom('schema_version').select('version').execute()
        return rows.map(({ version }) => version).sort((a, b) => a - b)
      }),
    async claim(version) {
      await within((db) => sql`insert into schema_version values (${version}, 1)`.execute(db))
    },
  }
}

export interface MigrationFigures {
  /** How many kills came while the old schema was still all there was. */
  readonly inTheMiddle: number
  /** Schemas that were neither the old one nor the new one. */
  readonly half: readonly string[]
  readonly versions: readonly number[]
  /** Users that were there before and are missing now. */
  readonly missingUsers: number
}

/** R8: killed at each of these statements, one after the other, then let through. */
export async function interruptMigration(
  cluster: RestartableCluster | null,
  statements: readonly number[],
  contents: Exclude<Contents, 'nothing'> = 'users',
): Promise<MigrationFigures> {
  const database = await oldDatabase(cluster, contents)
  const before = (await database.versions()).length
  const half: string[] = []
  let inTheMiddle = 0
  for (const at of statements) {
    const node = database.node({ DIE_AT_STATEMENT: String(at) })
    const died = await node.start().then(
      () => false,
      () => true,
    )
    if (!died) await node.kill()
    const versions = await database.versions()
    if (versions.length === before && died) inTheMiddle += 1
    else if (versions.length < latest) half.push(versions.join())
  }
  const node = database.node()
  try {
    await node.start()
    const [headers, expected] =
      contents === 'users'
        ? [basic, users + 1] // the administrator is new
        : [basicOf(shown.administrator), 14]
    const { body } = await node.caller.call('GET', '/users?limit=1', { headers })
    return {
      inTheMiddle,
      half,
      versions: await database.versions(),
      missingUsers: expected - body.total,
    }
  } finally {
    await node.remove()
  }
}
