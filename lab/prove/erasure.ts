import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from '../../test/faults/cluster.ts'
import { type Erased, filesIn, type Place, proveErasure } from '../../test/faults/erasure.ts'
import { makeCluster } from '../../test/postgres.ts'
import { print } from '../growth/table.ts'

/**
 * Proves on both databases, at a service with two workers, that after an erasure and
 * `gatehouse compact` no byte of the database files, the log, a backup, a restored database and a dump
 * holds a name, a username or an e-mail of an erased person. `npm run prove -- erasure`
 *
 * `PG_BIN` names a folder with initdb, postgres and pg_dump of one version: the dump is made by that.
 */
const persons = Number(process.argv[2] ?? 60)
const bin = process.env.PG_BIN

await prove('SQLite', {
  env: { WORKERS: '2' },
  databaseFiles: async (directory) => filesIn(directory),
})

const files = makeCluster(bin)
const cluster = await startCluster({}, files)
const dumps = mkdtempSync(join(tmpdir(), 'gatehouse-dump-'))
try {
  await cluster.start()
  const database = await cluster.createDatabase()
  await prove('PostgreSQL', {
    env: { WORKERS: '2', DATABASE_URL: cluster.url(database) },
    analyze: () => cluster.query(database, 'analyze').then(() => {}),
    async databaseFiles() {
      await cluster.query(database, 'checkpoint')
      // Its recycled log is the server's: see docs/personal-data.md.
      return filesIn(files.data).filter((path) => !path.includes('/pg_wal/'))
    },
    ...(bin && {
      dump: async () => {
        const path = join(dumps, 'after.sql')
        const args = ['-h', files.folder, '-U', 'gatehouse', '-f', path, database]
        execFileSync(join(bin, 'pg_dump'), args)
        return path
      },
    }),
  })
} finally {
  await cluster.remove()
  rmSync(dumps, { recursive: true, force: true })
}
print('PASS')

async function prove(name: string, place: Place): Promise<void> {
  const done = await proveErasure(place, persons)
  print(`${name}: ${figures(done)}`)
  assert.ok(done.before > 0, 'the search finds what is there')
  assert.deepEqual(done.found, [])
  assert.equal(done.beside?.failedRequests ?? 0, 0)
}

function figures(done: Erased): string {
  const { before, beside, uncompacted, found, searchedBytes } = done
  return [
    `${done.persons} persons in ${before} places before, ${uncompacted} before compact`,
    `${found.length} after it, in ${(searchedBytes / 1e6).toFixed(1)} MB`,
    `compact ${done.compactMs.toFixed(0)} ms`,
    ...(beside
      ? [
          `beside it the longest read ${beside.longestReadMs.toFixed(0)} ms`,
          `the longest write ${beside.longestWriteMs.toFixed(0)} ms, ${beside.failedRequests} failed`,
        ]
      : []),
  ].join('; ')
}
