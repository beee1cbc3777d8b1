import type { Database, DatabaseOrTransaction } from '../../../core/database/database.ts'
import { inSnapshot } from '../../../core/database/snapshot.ts'
import type { AuditKeys } from '../../keys/audit-keys.ts'
import { checkpointKey } from '../checkpoint-key.ts'
import { readSigners } from '../checkpoint-key-rotation.ts'
import { checkpointStore } from '../checkpoint-store.ts'
import { erasureStore } from '../erasure-store.ts'
import { unlistedThrough } from '../unlisted-erasures.ts'
import { verifyAccounts } from './accounts.ts'
import { type Attested, readCheckpoints, readTombstones } from './checkpoints.ts'
import { createClosedKeysCheck } from './closed.ts'
import { createIndexCheck, readPersons } from './indexes.ts'
import { explaining, readOutside } from './outside.ts'
import { readRecords } from './records.ts'
import {
  createFindings,
  type Findings,
  generalProblem,
  type Restore,
  type Verification,
} from './report.ts'

export interface VerifyDeps {
  readonly db: Database
  readonly keys: AuditKeys
}

export interface VerifyOptions {
  /** Null if missing. Without the file, truncation or an old copy is not detected. */
  readonly outside?: AsyncIterable<string> | null
  /** Epoch milliseconds: the first checkpoint may not be sent yet. */
  readonly now?: number
  /** Called with the number of verified records; throws to cancel. */
  readonly onProgress?: (records: number) => void
}

// The database is ahead of the file.
const outsideLagMs = 10_000

/** Verifies the whole log on one snapshot, read-only, in constant memory. */
export async function verifyAudit(
  { db, keys }: VerifyDeps,
  { outside, now, onProgress = () => {} }: VerifyOptions = {},
): Promise<Verification> {
  // File first: the snapshot must contain its checkpoints.
  return inSnapshot(db, (snapshot) => verify(snapshot, keys, { outside, now, onProgress }))
}

async function verify(
  snapshot: DatabaseOrTransaction,
  keys: AuditKeys,
  {
    outside: lines,
    now = Infinity,
    onProgress,
  }: { [Name in keyof VerifyOptions]: VerifyOptions[Name] | undefined } & {
    onProgress: (records: number) => void
  },
): Promise<Verification> {
  const store = checkpointStore(snapshot)
  const isMissing = lines === null
  const key = checkpointKey(keys.checkpointSeed)
  const findings = createFindings()
  const closedKeys = createClosedKeysCheck()
  const tombstones = await readTombstones(store, { key, closedKeys }, findings)
  const tombstone = tombstones.ofCheckpoints
  const signers = await readSigners(snapshot, key)
  for (const id of signers.broken) {
    const detail = `the statement that the master key was turned from ${id} was changed`
    findings.add(generalProblem('key', detail))
  }
  const attested = await readCheckpoints(store, { signers, tombstone }, findings)
  const persons = await readPersons(snapshot, keys)
  for (const subject of persons.broken) {
    findings.add(
      generalProblem(
        'key',
        `the key of the person ${subject} does not open, or not by its name: it was changed`,
      ),
    )
  }
  const erasing = await erasureStore(snapshot).indexes()
  const checkIndexes = createIndexCheck(keys, persons, erasing)
  const { heads } = attested
  const { records, chains, erased, uncovered, lastRestore } = await readRecords(
    store,
    {
      ...{ keys, tombstones: tombstones.ofChains, heads },
      ...{ persons, checkIndexes, closedKeys, onProgress },
    },
    findings,
  )
  const unproven = closedKeys.judge(findings, await unlistedThrough(snapshot))
  await verifyAccounts(snapshot, { records, tombstones: tombstones.count }, findings)
  const notes = [...unproven, ...foreignKeys({ attested, lastRestore, own: key.id }, findings)]
  const removedThrough = tombstone?.place ?? 0
  const lastNumber = attested.last?.number ?? removedThrough
  const ownFrom = attested.own?.number ?? Infinity
  const compared =
    lines &&
    (await readOutside(store, { signers, lines, removedThrough, lastNumber, ownFrom }, findings))
  const isFirst = attested.count === 1 && !tombstone
  const isOnItsWay = isFirst && (attested.last?.at ?? 0) > now - outsideLagMs
  if (attested.count > 0 && !isOnItsWay && (isMissing || compared?.checkpoints === 0)) {
    const detail = isMissing
      ? 'there is no file of checkpoints outside, although the database has checkpoints'
      : 'the file outside has no checkpoint, although the database has some: it was emptied'
    findings.add(generalProblem('outside', detail))
  }
  const lacking = compared?.lacking ?? null
  const fork = lacking && { ...lacking, restore: explaining(lacking, lastRestore) }
  if (fork) {
    const range = fork.from === fork.to ? `${fork.from}` : `${fork.from} to ${fork.to}`
    const detail = `the file outside has checkpoints that the database lacks: ${range}`
    findings.add(generalProblem('outside', detail))
  }
  if (compared && compared.removed > 0) {
    notes.push(`${compared.removed} checkpoints of the file outside are older than the retention`)
  }
  const problems = findings.list()
  return {
    first: problems[0] ?? null,
    problems,
    problemCount: findings.count(),
    fork,
    checked: {
      ...{ records, chains, checkpoints: attested.count, tombstones: tombstones.count },
      outside: compared ? compared.lines : null,
    },
    erased,
    lastCheckpoint: attested.last,
    lastOutside: compared?.last ?? null,
    uncovered,
    notes,
  }
}

interface ForeignOptions {
  readonly attested: Attested
  readonly lastRestore: Restore | null
  readonly own: string
}

/**
 * Accepted after a recorded restore under this master key, if a checkpoint of this key vouches for
 * the other key. Returns notes.
 */
function foreignKeys(
  { attested: { foreign, own }, lastRestore, own: id }: ForeignOptions,
  findings: Findings,
): string[] {
  if (!foreign) return []
  const { count } = foreign
  const restore = explaining(foreign, lastRestore)
  if (!restore) {
    const detail = `${count} checkpoints are signed by another key than that of this master key (${id}), and no restore of a backup is recorded after them`
    findings.add(generalProblem('key', detail))
  } else if (!own) {
    const detail = `the checkpoints are those of another master key, from before the restore of ${new Date(restore.at).toISOString()}: start the service, whose first checkpoint vouches for them`
    findings.add(generalProblem('key', detail))
  }
  return restore ? [`${count} checkpoints are of another master key, from before a restore`] : []
}
