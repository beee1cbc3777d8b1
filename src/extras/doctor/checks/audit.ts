import { closeSync, openSync, readSync } from 'node:fs'
import { gatehouse } from '../../../core/hints/command-line.ts'
import { isoTime } from '../../../core/lib/clock.ts'
import { systemCode } from '../../../core/reason.ts'
import { sampleProblems } from '../../../modules/audit/verify/sample.ts'
import { usersWithoutKey } from '../../../modules/audit/verify/without-key.ts'
import { readAuditKeys } from '../../../modules/keys/audit-keys.ts'
import { type Check, CouldNotCheck, type Found } from '../check.ts'
import type { InsideContext } from '../context.ts'
import { doctorStore } from '../store.ts'

const evidence =
  'Delete nothing: copy the database and the files of checkpoints first. Then see what else was changed: docs/audit.md#verify.'

const auditRecords: Check<InsideContext> = {
  id: 'audit_records',
  level: 'error',
  passMessage:
    'the latest records of the audit log, and a sample of the others, are as they were written',
  why: 'The database was changed by another program, and the audit log of that time is not reliable.',
  mend: { do: evidence, setting: `${gatehouse} audit verify` },
  async find({ config, db, random }) {
    const keys = await readAuditKeys(db, { config, random })
    const problems = await sampleProblems(db, keys, random)
    return problems.map((detail): Found => ({ what: `${detail}.` }))
  },
}

const maxNamed = 5

const auditSubjects: Check<InsideContext> = {
  id: 'audit_subjects',
  level: 'error',
  passMessage: 'the audit log has the keys of the persons who have signed in',
  why: 'No one can read the records of a person without a key, as if the person had been erased.',
  mend: { do: evidence, setting: `${gatehouse} audit verify` },
  async find({ db }) {
    const ids = await usersWithoutKey(db)
    if (ids === null) {
      const accounts = await doctorStore(db).hasAccounts()
      const what = 'The audit log has no record, although there are accounts.'
      return accounts ? [{ what }] : []
    }
    if (ids.length === 0) return []
    const named = ids.slice(0, maxNamed).join(', ')
    const more = ids.length > maxNamed ? ' and others' : ''
    const what = `Accounts have signed in, and their keys are gone from the audit log: of users ${named}${more}.`
    return [{ what }]
  },
}

/** A checkpoint is sent at once, unless a sink is away. */
const lateMs = 60_000
const headBytes = 65_536

const auditFile: Check<InsideContext> = {
  id: 'audit_file',
  level: 'error',
  passMessage:
    'the file of checkpoints outside the database is not empty, if the database has checkpoints',
  why: 'Only this file shows that the newest records were cut off, or that an old copy of the database was put in place.',
  mend: {
    do: 'After a restore, start the service, which writes the file again. Otherwise compare the database with a copy of the file from elsewhere, before anything is changed.',
    setting: `${gatehouse} audit verify --checkpoints /path/to/a/copy`,
  },
  async find({ clock, config, db, machine }) {
    const last = await doctorStore(db).lastCheckpoint()
    if (last === null || clock.now() - last.at < lateMs) return []
    const path = config.audit.checkpointsFile
    // With PostgreSQL a command may run where no service writes such a file.
    const notes = machine.list(config.database.dataDirectory)
    const isServed = notes.some((name) => /^service-\d+\.json$/.test(name))
    if (!machine.stat(path)) {
      if (config.database.postgres && !isServed) return []
      const what = `${path} is missing, and the database has checkpoints until ${isoTime(last.at)}.`
      return [{ what }]
    }
    if (headOf(path).includes('"checkpoint"')) return []
    return [{ what: `${path} has no checkpoint, and the database has some: it was emptied.` }]
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
    throw new CouldNotCheck(`${path} cannot be read (${systemCode(error) ?? 'unknown'})`)
  }
}

export const auditChecks: readonly Check<InsideContext>[] = [auditRecords, auditSubjects, auditFile]
