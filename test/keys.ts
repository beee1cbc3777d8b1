import { createHash, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Random } from '../src/core/crypto/random.ts'
import { connect } from '../src/core/database/connect.ts'
import type { Connected } from '../src/core/database/database.ts'
import { migrate } from '../src/core/database/migrate.ts'
import { createLog } from '../src/core/runtime/deps.ts'
import { eventsOf } from '../src/core/runtime/sinks.ts'
import { createAudit } from '../src/modules/audit/audit.ts'
import {
  type KeySet,
  type KeySetDeps,
  type LoadKeySetOptions,
  loadKeySet,
} from '../src/modules/keys/key-set.ts'
import { afterwards } from './afterwards.ts'
import { fixedClock } from './clock.ts'
import { loadConfig } from './config.ts'
import { placeSqliteFile } from './database.ts'
import { seededRandom } from './random.ts'

let seeds = 0

/** A data directory, and a function that loads a key set on it with any settings. */
export async function place() {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const clock = fixedClock()
  let connected: Connected | undefined
  // Before anything is awaited: later the hook would belong to another file of the process.
  afterwards(async () => {
    await connected?.db.destroy()
    rmSync(directory, { recursive: true, force: true })
  })
  await placeSqliteFile(directory)
  connected = connect({ dataDirectory: directory, timeoutMs: 1000, synchronous: 'off' })
  const { db, feed } = connected
  await migrate(db, clock) // with TEST_DATABASE=postgres, placeSqliteFile copies no schema
  const load = (
    env: Record<string, string> = {},
    on = db,
    given?: Random,
    more: Partial<KeySetDeps> = {},
    options?: LoadKeySetOptions,
  ) => {
    const config = loadConfig({ DATA_DIR: directory, TOKEN_ALGORITHM: 'HS256', ...env })
    seeds += 1
    const random = given ?? seededRandom(seeds)
    const log = createLog('silent')
    const events = eventsOf({ clock, log })
    createAudit({ config, db: on, clock, events, log, random })
    return loadKeySet({ config, db: on, feed, clock, events, random, ...more }, options)
  }
  const rows = () => db.selectFrom('keys').selectAll().orderBy('id').execute()
  const kinds = async () =>
    (await rows()).map(({ usage, algorithm }) => `${usage} ${algorithm}`).toSorted()
  return { directory, file: join(directory, 'master.key'), db, clock, load, rows, kinds }
}

/** The digest of a key, so that a failed comparison does not print the key. */
export function print(key: KeyObject | Uint8Array): string {
  const bytes =
    key instanceof Uint8Array
      ? key
      : key.type === 'secret'
        ? key.export()
        : key.export({ format: 'der', type: key.type === 'private' ? 'pkcs8' : 'spki' })
  return createHash('sha256').update(bytes).digest('hex')
}

/** The parts of a key set that two loads of it have in common. */
export function prints({ current, dataKey }: KeySet) {
  return [current.kid, current.algorithm, print(current.signWith), print(dataKey)]
}
