import type { Random } from '../../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../../core/database/database.ts'
import type { Words } from '../../../core/lib/languages.ts'
import type { AuditKeys } from '../../keys/audit-keys.ts'
import { type CheckpointStore, checkpointStore } from '../checkpoint-store.ts'
import { type AuditRecord, firstPrevious, macOf } from '../record-form.ts'

/** Ranges of consecutive records: the latest, and random ranges. */
const runs = 20
const recordsPerRun = 25
const maxReported = 5

/**
 * Verifies a few hundred macs; returns a sentence per changed record. `audit
 * verify` verifies all.
 */
export async function sampleProblems(
  db: DatabaseOrTransaction,
  keys: Pick<AuditKeys, 'chain'>,
  random: Random,
): Promise<Words[]> {
  const store = checkpointStore(db)
  const last = await store.lastNumber()
  if (last === null) return []
  const problems = new Map<string, Words>()
  for (let run = 0; run < runs; run += 1) {
    // The first range is the latest.
    const from = run === 0 ? last - recordsPerRun + 1 : startOf(run, last, random)
    for (const { chain, place } of await store.numberedFrom(from, recordsPerRun)) {
      await verifyAt(chain, place)
    }
    if (last <= (run + 1) * recordsPerRun) break
  }
  return [...problems.values()].slice(0, maxReported)

  function note(problem: Words): void {
    problems.set(problem.en, problem)
  }

  async function verifyAt(chain: string, place: number): Promise<void> {
    const [before, record] = await pairAt(store, chain, place)
    if (!record) return
    const previous = before?.mac ?? (await previousOf(store, keys, record))
    if (previous === undefined) return
    if (previous === null) {
      note({
        en: `The record before record ${record.number} of the audit log is missing.`,
        de: `Vor dem Eintrag ${record.number} des Protokolls fehlt ein Eintrag.`,
      })
    } else if (macOf(keys.chain, previous, record) !== record.mac) {
      note({
        en: `The record ${record.number} of the audit log is not what was written there.`,
        de: `Der Eintrag ${record.number} des Protokolls ist nicht, was dort geschrieben wurde.`,
      })
    }
  }
}

/** In a longer log, each run reads another part. */
function startOf(run: number, last: number, random: Random): number {
  if (last <= runs * recordsPerRun) return last - (run + 1) * recordsPerRun + 1
  const part = Math.floor(last / runs)
  return run * part + (Buffer.from(random.bytes(4)).readUInt32BE() % part)
}

async function pairAt(
  store: CheckpointStore,
  chain: string,
  place: number,
): Promise<[AuditRecord | undefined, AuditRecord | undefined]> {
  const found = await store.records(chain, place - 1, place, 2)
  return [found.find((one) => one.place === place - 1), found.find((one) => one.place === place)]
}

/** Null if missing, undefined if retention has just removed the record. */
async function previousOf(
  store: CheckpointStore,
  keys: Pick<AuditKeys, 'chain'>,
  { chain, place }: AuditRecord,
): Promise<string | null | undefined> {
  if (place === 1) return firstPrevious(keys.chain, chain)
  const tombstone = await store.tombstone(chain)
  if (tombstone && tombstone.place >= place) return undefined
  return tombstone?.place === place - 1 ? tombstone.mac : null
}
