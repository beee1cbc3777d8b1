import { sql } from 'kysely'
import type { Check, Found } from '../../../core/checks/check.ts'
import type { InsideContext } from '../../../core/checks/context.ts'
import type { Database } from '../../../core/database/database.ts'
import { latestSchema, schemaVersion } from '../../../core/database/migrate.ts'
import {
  type ModuleSchema,
  moduleVersions,
  newerSchema,
} from '../../../core/database/module-schemas.ts'
import { gatehouse } from '../../../core/hints/command-line.ts'
import { reasonOf } from '../../../core/reason.ts'
import { databasePages } from './pages.ts'

const databaseFiles: Check<InsideContext> = {
  id: 'database_files',
  level: 'error',
  passMessage: 'the files of the SQLite database are the files that the service has opened',
  why: {
    en: 'What the service writes into a deleted file is lost, and what others write into the new file does not count here: the service refuses all requests and ends with exit code 6.',
    de: 'Was der Dienst in eine gelöschte Datei schreibt, ist verloren, und was andere in die neue Datei schreiben, zählt hier nicht: Der Dienst lehnt alle Anfragen ab und endet mit Code 6.',
  },
  mend: {
    do: {
      en: `Leave gatehouse.db, gatehouse.db-wal and gatehouse.db-shm to the service while it runs; copy the database by \`${gatehouse} backup\`. The next start takes the files that are there.`,
      de: `Überlassen Sie gatehouse.db, gatehouse.db-wal und gatehouse.db-shm dem Dienst, solange er läuft; kopieren Sie die Datenbank mit \`${gatehouse} backup\`. Der nächste Start nimmt die Dateien, die da sind.`,
    },
  },
  find({ databaseFiles }) {
    const path = databaseFiles?.replaced() ?? null
    if (path === null) return []
    return [
      {
        what: {
          en: `${path} was deleted or replaced while the service has it open.`,
          de: `${path} wurde gelöscht oder ersetzt, während der Dienst die Datei offen hat.`,
        },
      },
    ]
  },
}

export const databaseCheck: Check<InsideContext> = {
  id: 'database',
  level: 'error',
  passMessage: 'the database answers and takes changes',
  why: {
    en: 'Without it the service is not ready, and every change is refused with 503.',
    de: 'Ohne sie ist der Dienst nicht bereit, und jede Änderung wird mit 503 abgelehnt.',
  },
  mend: {
    do: {
      en: 'Bring it back; docs/health.md says what each reason means.',
      de: 'Stellen Sie sie wieder her; docs/health.md erklärt jeden Grund.',
    },
  },
  async find({ assertDatabaseServes }) {
    try {
      await assertDatabaseServes()
      return []
    } catch (error) {
      return [
        {
          what: {
            en: `The database does not serve: ${reasonOf(error)}.`,
            de: `Die Datenbank ist nicht benutzbar: ${reasonOf(error)}.`,
          },
        },
      ]
    }
  },
}

const schema = (modules: readonly ModuleSchema[]): Check<InsideContext> => ({
  id: 'schema',
  level: 'error',
  passMessage: 'the schema is that of this version',
  why: {
    en: 'A node whose database has an older schema is not ready. A node whose database has a newer schema needs the newer version.',
    de: 'Ein Knoten, dessen Datenbank ein älteres Schema hat, ist nicht bereit. Hat die Datenbank ein neueres Schema, braucht der Knoten die neuere Version.',
  },
  mend: {
    do: {
      en: 'Make a backup, then start the service, which migrates the database, or migrate it by command.',
      de: 'Machen Sie eine Sicherung, und starten Sie dann den Dienst, der die Datenbank migriert, oder migrieren Sie mit dem Befehl.',
    },
    setting: `${gatehouse} migrate`,
  },
  async find({ db }) {
    let version: number
    try {
      version = await schemaVersion(db)
    } catch (error) {
      return [
        {
          what: {
            en: `The database has no schema of this service: ${reasonOf(error)}.`,
            de: `Die Datenbank hat kein Schema dieses Dienstes: ${reasonOf(error)}.`,
          },
        },
      ]
    }
    if (version < latestSchema) {
      return [
        {
          what: {
            en: `The database has schema ${version}, this version needs ${latestSchema}.`,
            de: `Die Datenbank hat Schema ${version}, diese Version braucht ${latestSchema}.`,
          },
        },
      ]
    }
    const newer =
      version > latestSchema
        ? `schema ${version}, this program knows ${latestSchema}`
        : newerSchema(await moduleVersions(db), modules)
    if (newer === null) return []
    const what = {
      en: `The database has ${newer}: another node is newer.`,
      de: 'Die Datenbank hat ein neueres Schema, als dieses Programm kennt: Ein anderer Knoten hat eine neuere Version.',
    }
    return [
      {
        what,
        level: 'warning',
        mend: {
          do: {
            en: 'Bring this node to the newer version.',
            de: 'Bringen Sie diesen Knoten auf die neuere Version.',
          },
        },
      },
    ]
  },
})

export const openingChecks = (
  modules: readonly ModuleSchema[],
): readonly Check<InsideContext>[] => [databaseFiles, databaseCheck, databasePages, schema(modules)]

const maxClockMs = 2000

const clockOfDatabase: Check<InsideContext> = {
  id: 'clock',
  level: 'error',
  passMessage: 'the clocks of this machine and of the database agree to two seconds',
  why: {
    en: 'Tokens, codes, leases and limits go by the time; nodes whose clocks differ refuse the tokens of each other.',
    de: 'Token, Codes, Leases und Grenzen richten sich nach der Zeit; Knoten mit verschiedenen Uhren lehnen die Token der anderen ab.',
  },
  mend: {
    do: { en: 'Keep both clocks by NTP.', de: 'Stellen Sie beide Uhren per NTP.' },
    setting: 'timedatectl set-ntp true',
  },
  async find({ clock, config, db }) {
    if (!config.database.postgres) return []
    const before = clock.now()
    const there = await postgresNow(db)
    const after = clock.now()
    const off = there < before ? before - there : Math.max(0, there - after)
    if (off <= maxClockMs) return []
    const side = there < before ? 'ahead of' : 'behind'
    return [
      {
        what: {
          en: `The clock of this machine is ${Math.round(off / 1000)} s ${side} that of PostgreSQL.`,
          de: `Die Uhr dieses Rechners geht gegenüber der von PostgreSQL ${Math.round(off / 1000)} s ${there < before ? 'vor' : 'nach'}.`,
        },
      },
    ]
  },
}

const durability: Check<InsideContext> = {
  id: 'postgresql_durability',
  level: 'error',
  passMessage: 'PostgreSQL keeps what it has committed',
  why: {
    en: 'A crash of the server can lose or damage committed rows: accounts, revocations, the audit log.',
    de: 'Ein Absturz des Servers kann festgeschriebene Zeilen verlieren oder beschädigen: Konten, Widerrufe, das Protokoll.',
  },
  mend: {
    do: {
      en: 'In postgresql.conf, then reload the server.',
      de: 'In postgresql.conf, dann den Server neu laden.',
    },
    setting: 'fsync = on   full_page_writes = on',
  },
  async find({ config, db }) {
    if (!config.database.postgres) return []
    const { fsync, full_page_writes } = await postgresDurability(db)
    const off = Object.entries({ fsync, full_page_writes }).filter(([, value]) => value === 'off')
    return off.map(
      ([name]): Found => ({
        what: {
          en: `${name} of the PostgreSQL server is off.`,
          de: `${name} des PostgreSQL-Servers ist aus.`,
        },
      }),
    )
  },
}

export const databaseChecks: readonly Check<InsideContext>[] = [clockOfDatabase, durability]

/** Epoch milliseconds. */
async function postgresNow(db: Database): Promise<number> {
  const { rows } = await sql<{ now: string }>`
    select (extract(epoch from clock_timestamp()) * 1000)::text as now`.execute(db)
  return Number(rows[0]?.now)
}

/** Settings without which a crash loses commits. */
async function postgresDurability(
  db: Database,
): Promise<{ fsync: string; full_page_writes: string }> {
  const { rows } = await sql<{ fsync: string; full_page_writes: string }>`
    select current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes`.execute(db)
  return rows[0] ?? { fsync: '', full_page_writes: '' }
}
