import { clockSetBack } from '../../../core/database/clock-set-back.ts'
import { latestSchema, schemaVersion } from '../../../core/database/migrate.ts'
import { gatehouse } from '../../../core/hints/command-line.ts'
import { isoTime } from '../../../core/lib/clock.ts'
import { reasonOf } from '../../../core/reason.ts'
import { accessAlgorithm } from '../../../modules/keys/algorithm.ts'
import { type MasterKeys, readMasterKeys } from '../../../modules/keys/master-key.ts'
import { openKey } from '../../../modules/keys/sealed-key.ts'
import type { SealedKey } from '../../../modules/keys/store.ts'
import { storedKeys } from '../../../modules/keys/stored-keys.ts'
import type { Check, Found } from '../check.ts'
import type { InsideContext } from '../context.ts'
import { doctorStore } from '../store.ts'
import { databasePages } from './pages.ts'

const databaseFiles: Check<InsideContext> = {
  id: 'database_files',
  level: 'error',
  passMessage: 'the files of the SQLite database are the files that the service has opened',
  why: 'What the service writes into a deleted file is lost, and what others write into the new file does not count here: the service refuses all requests and ends with exit code 6.',
  mend: {
    do: `Leave gatehouse.db, gatehouse.db-wal and gatehouse.db-shm to the service while it runs; copy the database by \`${gatehouse} backup\`. The next start takes the files that are there.`,
  },
  find({ databaseFiles }) {
    const path = databaseFiles?.replaced() ?? null
    if (path === null) return []
    return [{ what: `${path} was deleted or replaced while the service has it open.` }]
  },
}

export const databaseCheck: Check<InsideContext> = {
  id: 'database',
  level: 'error',
  passMessage: 'the database answers and takes changes',
  why: 'Without it the service is not ready, and every change is refused with 503.',
  mend: { do: 'Bring it back; docs/health.md says what each reason means.' },
  async find({ assertDatabaseServes }) {
    try {
      await assertDatabaseServes()
      return []
    } catch (error) {
      return [{ what: `The database does not serve: ${reasonOf(error)}.` }]
    }
  },
}

const schema: Check<InsideContext> = {
  id: 'schema',
  level: 'error',
  passMessage: 'the schema is that of this version',
  why: 'A node on an older schema is not ready, and one beside a newer schema is due for its upgrade.',
  mend: {
    do: 'Make a backup, then start the service, which migrates the database, or migrate it by command.',
    setting: `${gatehouse} migrate`,
  },
  async find({ db }) {
    let version: number
    try {
      version = await schemaVersion(db)
    } catch (error) {
      return [{ what: `The database has no schema of this service: ${reasonOf(error)}.` }]
    }
    if (version < latestSchema) {
      return [{ what: `The database has schema ${version}, this version needs ${latestSchema}.` }]
    }
    if (version === latestSchema) return []
    const what = `The database has schema ${version}, this program knows ${latestSchema}: another node is newer.`
    return [{ what, level: 'warning', mend: { do: 'Bring this node to the newer version.' } }]
  },
}

function opens(masterKey: Uint8Array, key: SealedKey): boolean {
  try {
    openKey(masterKey, key)
    return true
  } catch {
    return false
  }
}

const keys: Check<InsideContext> = {
  id: 'keys',
  level: 'error',
  passMessage: 'the master key opens every stored key, and one signs',
  why: 'Without its keys the service does not start, and no token can be signed or verified.',
  mend: {
    do: 'Give the master key that sealed them: the file of before, or that of the other nodes.',
    setting: 'MASTER_KEY_FILE=/etc/gatehouse/master-key',
  },
  async find({ config, db, clock }) {
    const stored = await storedKeys(db)
    if (stored.length === 0) return [{ what: 'The database has no keys yet.', level: 'info' }]
    let opened: MasterKeys
    try {
      const random = { bytes: (count: number) => new Uint8Array(count) } // nothing is made
      opened = readMasterKeys({ config, random, mayCreate: false })
    } catch (error) {
      return [{ what: `The master key cannot be used: ${reasonOf(error)}.` }]
    }
    const closed = stored.filter((key) => !opened.keys.some((masterKey) => opens(masterKey, key)))
    if (closed.length > 0) {
      const ids = closed.map(({ id }) => id).join(', ')
      return [
        { what: `The master key does not open ${closed.length} of ${stored.length} keys: ${ids}.` },
      ]
    }
    const algorithm = accessAlgorithm(config, stored)
    const isOperators = algorithm === 'HS256' ? config.token.secret : config.token.privateKey
    const signs = stored.some(
      (key) =>
        key.purpose === 'signing' &&
        key.algorithm === algorithm &&
        (key.retiredAt === null || key.retiredAt > clock.now()),
    )
    const unread = opened.mistakes.map((what): Found => ({ what: `${what}.`, level: 'warning' }))
    if (signs || isOperators) return unread
    const what = `No stored key signs ${algorithm}, which TOKEN_ALGORITHM asks for.`
    return [{ what, mend: { do: 'Start the service with these settings: it makes such a key.' } }]
  },
}

/** The first that finds an error ends the checks of the database. */
export const openingChecks: readonly Check<InsideContext>[] = [
  databaseFiles,
  databaseCheck,
  databasePages,
  schema,
  keys,
]

const maxClockMs = 2000

const clockOfDatabase: Check<InsideContext> = {
  id: 'clock',
  level: 'error',
  passMessage: 'the clocks of this machine and of the database agree to two seconds',
  why: 'Tokens, codes, leases and limits go by the time; nodes whose clocks differ refuse the tokens of each other.',
  mend: { do: 'Keep both clocks by NTP.', setting: 'timedatectl set-ntp true' },
  async find({ clock, config, db }) {
    if (!config.database.postgres) return []
    const before = clock.now()
    const there = await doctorStore(db).postgresNow()
    const after = clock.now()
    const off = there < before ? before - there : Math.max(0, there - after)
    if (off <= maxClockMs) return []
    const side = there < before ? 'ahead of' : 'behind'
    return [
      {
        what: `The clock of this machine is ${Math.round(off / 1000)} s ${side} that of PostgreSQL.`,
      },
    ]
  },
}

const setBack: Check<InsideContext> = {
  id: 'clock_set_back',
  level: 'error',
  passMessage: 'no key and no record of the audit log is of a later time than now',
  why: 'After a clock was set back, what has expired is valid again, earlier tokens are refused, and the order of the audit log is in doubt.',
  mend: {
    do: 'Set the clock right, by NTP. If the clock is right now, this ends when the clock has passed the named time.',
    setting: 'timedatectl set-ntp true',
  },
  async find({ clock, db }) {
    const what = await clockSetBack(db, clock)
    return what === null ? [] : [{ what }]
  },
}

const durability: Check<InsideContext> = {
  id: 'postgresql_durability',
  level: 'error',
  passMessage: 'PostgreSQL keeps what it has committed',
  why: 'A crash of the server can lose or damage committed rows: accounts, revocations, the audit log.',
  mend: {
    do: 'In postgresql.conf, then reload the server.',
    setting: 'fsync = on   full_page_writes = on',
  },
  async find({ config, db }) {
    if (!config.database.postgres) return []
    const { fsync, full_page_writes } = await doctorStore(db).postgresDurability()
    const off = Object.entries({ fsync, full_page_writes }).filter(([, value]) => value === 'off')
    return off.map(([name]): Found => ({ what: `${name} of the PostgreSQL server is off.` }))
  },
}

const dayMs = 86_400_000
const oldKeyDays = 730

const signingKeyAge: Check<InsideContext> = {
  id: 'signing_key_age',
  level: 'info',
  passMessage: 'the signing key is younger than two years',
  why: 'The longer a key signs, the more copies of it there are in backups, and the more tokens depend on it.',
  mend: {
    do: 'Replace it, without an interruption, or have it replaced by itself.',
    setting: `${gatehouse} keys rotate   KEY_ROTATION_DAYS=365`,
  },
  async find({ clock, db }) {
    const stored = await storedKeys(db)
    const [newest] = stored.filter(
      ({ purpose, retiredAt }) => purpose === 'signing' && retiredAt === null,
    )
    if (!newest) return []
    const days = Math.floor((clock.now() - newest.createdAt) / dayMs)
    return days < oldKeyDays ? [] : [{ what: `The key ${newest.id} has signed for ${days} days.` }]
  },
}

const uncoveredMs = 15 * 60_000

const auditCheckpoints: Check<InsideContext> = {
  id: 'audit_checkpoints',
  level: 'warning',
  passMessage: 'checkpoints cover the audit log',
  why: 'What no checkpoint covers can be removed from the database without a trace.',
  mend: { do: `The log of the service says why; \`${gatehouse} audit verify\` shows the state.` },
  async find({ clock, config, db, machine }) {
    // A service makes them, as soon as it runs again.
    const notes = machine.list(config.database.dataDirectory)
    if (!notes.some((name) => /^service-\d+\.json$/.test(name))) return []
    const store = doctorStore(db)
    const [record, checkpoint] = [await store.lastRecord(), await store.lastCheckpoint()]
    if (record === null) return []
    const covered = checkpoint?.records ?? 0
    const lateMs = Math.max(uncoveredMs, 3000 * config.audit.checkpointSeconds)
    if (record.number <= covered || clock.now() - record.at < lateMs) return []
    const last = checkpoint ? `the last is of ${isoTime(checkpoint.at)}` : 'there is none yet'
    return [{ what: `Records since ${isoTime(record.at)} are in no checkpoint; ${last}.` }]
  },
}

export const databaseChecks: readonly Check<InsideContext>[] = [
  clockOfDatabase,
  setBack,
  durability,
  signingKeyAge,
  auditCheckpoints,
]
