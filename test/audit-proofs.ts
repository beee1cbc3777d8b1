import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkpointKey } from '../src/modules/audit/checkpoint-key.ts'
import { checkpointStore } from '../src/modules/audit/checkpoint-store.ts'
import { checkpointOfLine } from '../src/modules/audit/outside/file-sink.ts'
import { type AuditProofDeps, createAuditProof } from '../src/modules/audit/proof.ts'
import { auditKeysOf, checkpointSeedOf } from '../src/modules/keys/audit-keys.ts'
import { afterwards } from './afterwards.ts'
import { storedAudit, suitesOnEmptyLog } from './stored-audit.ts'

/** Proofs of one audit log, as the workers of a service have them; a checkpoint every 10 seconds. */
export async function auditProofs() {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  afterwards(() => rmSync(directory, { recursive: true, force: true }))
  const audit = await storedAudit()
  const { db, start } = audit
  const [before, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  let folders = 0
  const time = { now: start }

  function newFolder(): string {
    folders += 1
    return join(directory, `${folders}`, 'data')
  }

  /** `refreshed`: when the keys were refreshed: then they are the keys of the next master key. */
  function proofOf({
    index = 0,
    count = 1,
    retentionDays = 0,
    dataDirectory = newFolder(),
    inserted = async () => {},
  } = {}) {
    const checkpointsFile = join(dataDirectory, 'checkpoints.jsonl')
    const lines: string[] = []
    const refreshed: number[] = []
    const keys = {
      audit: auditKeysOf(before, Buffer.alloc(32, 3)),
      refresh: async () => {
        refreshed.push(time.now)
        keys.audit = auditKeysOf(next, Buffer.alloc(32, 3))
      },
    }
    const proof = createAuditProof({
      ...{ db, clock: { now: () => time.now }, keys, inserted, workers: { index, count } },
      log: { error: (_: object, text: string) => lines.push(text) },
      config: {
        database: { dataDirectory },
        audit: { checkpointSeconds: 10, retentionDays, sinks: [], checkpointsFile },
      },
    } as unknown as AuditProofDeps) // what is used
    return {
      ...{ checkpointsFile, dataDirectory, lines, proof, refreshed },
      uncovered: () => proof.lag().uncoveredMs,
      /** The numbers of checkpoints in the file, and other lines as they are. */
      sent() {
        const text = readFileSync(checkpointsFile, 'utf8')
        return text.split('\n').map((line) => checkpointOfLine(line)?.number ?? line)
      },
    }
  }

  return {
    ...{ audit, before, next, proofOf, time },
    suiteOnEmptyLog: suitesOnEmptyLog(audit, () => {
      time.now = start + 60_000
    }),
    keyIds: [before, next].map((master) => checkpointKey(checkpointSeedOf(master)).id),
    /** Number and key of each checkpoint. */
    checkpoints: async () =>
      (await checkpointStore(db).from(0, 99)).map(({ number, key_id }) => [number, key_id]),
  }
}
