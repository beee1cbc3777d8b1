import { closeSync, openSync, readSync } from 'node:fs'
import { type Check, CouldNotCheck, type Found } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks } from '../../core/checks/context.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { isoTime } from '../../core/lib/clock.ts'
import { systemCode } from '../../core/reason.ts'
import { readAuditKeys } from '../keys/audit-keys.ts'
import { sampleProblems } from './verify/sample.ts'
import { usersWithoutKey } from './verify/without-key.ts'

const evidence = {
  en: 'Delete nothing: copy the database and the files of checkpoints first. Then see what else was changed: docs/audit.md#verify.',
  de: 'Löschen Sie nichts: Kopieren Sie zuerst die Datenbank und die Dateien der Prüfpunkte. Sehen Sie dann nach, was noch geändert wurde: docs/audit.md#verify.',
}

const auditRecords: Check<InsideContext> = {
  id: 'audit_records',
  level: 'error',
  passMessage:
    'the latest records of the audit log, and a sample of the others, are as they were written',
  why: {
    en: 'The database was changed by another program, and the audit log of that time is not reliable.',
    de: 'Ein anderes Programm hat die Datenbank geändert, und das Protokoll dieser Zeit ist nicht verlässlich.',
  },
  mend: { do: evidence, setting: `${gatehouse} audit verify` },
  async find({ config, db, random }) {
    const keys = await readAuditKeys(db, { config, random })
    const problems = await sampleProblems(db, keys, random)
    return problems.map((what): Found => ({ what }))
  },
}

const maxNamed = 5

const auditSubjects: Check<InsideContext> = {
  id: 'audit_subjects',
  level: 'error',
  passMessage: 'the audit log has the keys of the persons who have signed in',
  why: {
    en: 'No one can read the records of a person without a key, as if the person had been erased.',
    de: 'Die Einträge einer Person ohne Schlüssel kann niemand lesen, als wäre die Person gelöscht.',
  },
  mend: { do: evidence, setting: `${gatehouse} audit verify` },
  async find({ db }) {
    const ids = await usersWithoutKey(db)
    if (ids === null) {
      const accounts = await hasAccounts(db)
      const what = {
        en: 'The audit log has no record, although there are accounts.',
        de: 'Das Protokoll hat keinen Eintrag, obwohl es Konten gibt.',
      }
      return accounts ? [{ what }] : []
    }
    if (ids.length === 0) return []
    const named = ids.slice(0, maxNamed).join(', ')
    const more = ids.length > maxNamed ? ' and others' : ''
    const what = {
      en: `Accounts have signed in, and their keys are gone from the audit log: of users ${named}${more}.`,
      de: `Konten haben sich angemeldet, und ihre Schlüssel fehlen im Protokoll: von Personen ${named}${ids.length > maxNamed ? ' und anderen' : ''}.`,
    }
    return [{ what }]
  },
}

/** Only an unavailable sink delays checkpoints. */
const lateMs = 60_000
const headBytes = 65_536

const auditFile: Check<InsideContext> = {
  id: 'audit_file',
  level: 'error',
  passMessage:
    'the file of checkpoints outside the database is not empty, if the database has checkpoints',
  why: {
    en: 'Only this file shows that the newest records were cut off, or that an old copy of the database was put in place.',
    de: 'Nur diese Datei zeigt, dass die neuesten Einträge abgeschnitten wurden oder eine alte Kopie der Datenbank eingesetzt wurde.',
  },
  mend: {
    do: {
      en: 'After a restore, start the service, which writes the file again. Otherwise compare the database with a copy of the file from elsewhere, before anything is changed.',
      de: 'Starten Sie nach einer Wiederherstellung den Dienst, der die Datei neu schreibt. Vergleichen Sie sonst die Datenbank mit einer Kopie der Datei von anderswo, bevor Sie etwas ändern.',
    },
    setting: `${gatehouse} audit verify --checkpoints /path/to/a/copy`,
  },
  async find({ clock, config, db, machine }) {
    const last = await lastCheckpoint(db)
    if (last === null || clock.now() - last.at < lateMs) return []
    const path = config.audit.checkpointsFile
    // A command may run on another host than the service.
    const notes = machine.list(config.database.dataDirectory)
    const isServed = notes.some((name) => /^service-\d+\.json$/.test(name))
    if (!machine.stat(path)) {
      if (config.database.postgres && !isServed) return []
      const what = {
        en: `${path} is missing, and the database has checkpoints until ${isoTime(last.at)}.`,
        de: `${path} fehlt, und die Datenbank hat Prüfpunkte bis ${isoTime(last.at)}.`,
      }
      return [{ what }]
    }
    if (headOf(path).includes('"checkpoint"')) return []
    return [
      {
        what: {
          en: `${path} has no checkpoint, and the database has some: it was emptied.`,
          de: `${path} hat keinen Prüfpunkt, die Datenbank aber schon: Die Datei wurde geleert.`,
        },
      },
    ]
  },
}

function headOf(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(headBytes)
      return bytes.toString('latin1', 0, readSync(file, bytes, 0, headBytes, 0))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw new CouldNotCheck({
      en: `${path} cannot be read (${systemCode(error) ?? 'unknown'})`,
      de: `${path} lässt sich nicht lesen (${systemCode(error) ?? 'unbekannt'})`,
    })
  }
}

const uncoveredMs = 15 * 60_000

const auditCheckpoints: Check<InsideContext> = {
  id: 'audit_checkpoints',
  level: 'warning',
  passMessage: 'checkpoints cover the audit log',
  why: {
    en: 'What no checkpoint covers can be removed from the database without a trace.',
    de: 'Was kein Prüfpunkt abdeckt, lässt sich spurlos aus der Datenbank entfernen.',
  },
  mend: {
    do: {
      en: `The log of the service says why; \`${gatehouse} audit verify\` shows the state.`,
      de: `Das Log des Dienstes sagt, warum; \`${gatehouse} audit verify\` zeigt den Stand.`,
    },
  },
  async find({ clock, config, db, machine }) {
    // The service creates them when it runs.
    const notes = machine.list(config.database.dataDirectory)
    if (!notes.some((name) => /^service-\d+\.json$/.test(name))) return []
    const [record, checkpoint] = [await lastRecord(db), await lastCheckpoint(db)]
    if (record === null) return []
    const covered = checkpoint?.records ?? 0
    const lateMs = Math.max(uncoveredMs, 3000 * config.audit.checkpointSeconds)
    if (record.number <= covered || clock.now() - record.at < lateMs) return []
    const last = checkpoint ? `the last is of ${isoTime(checkpoint.at)}` : 'there is none yet'
    return [
      {
        what: {
          en: `Records since ${isoTime(record.at)} are in no checkpoint; ${last}.`,
          de: `Einträge seit ${isoTime(record.at)} sind in keinem Prüfpunkt; ${checkpoint ? `der letzte ist von ${isoTime(checkpoint.at)}` : 'es gibt noch keinen'}.`,
        },
      },
    ]
  },
}

async function hasAccounts(db: DatabaseOrTransaction): Promise<boolean> {
  const row = await db.selectFrom('accounts').select('user_id').limit(1).executeTakeFirst()
  return row !== undefined
}

async function lastCheckpoint(
  db: DatabaseOrTransaction,
): Promise<{ at: number; records: number } | null> {
  const row = await db
    .selectFrom('audit_checkpoints')
    .select(['at', 'records'])
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

async function lastRecord(
  db: DatabaseOrTransaction,
): Promise<{ at: number; number: number } | null> {
  const row = await db
    .selectFrom('audit_records')
    .select(['at', 'number'])
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

export const checks: ModuleChecks = {
  inside: [auditRecords, auditSubjects, auditFile, auditCheckpoints],
}
