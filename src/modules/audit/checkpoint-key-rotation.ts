import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { checkpointSeedOf } from '../keys/audit-keys.ts'
import { NotRotated, nextWasInUse, type OnRotated } from '../keys/master-key-rotation.ts'
import {
  type Checkpoint,
  checkpointDigest,
  noCheckpointBefore,
  signTombstone,
  tombstoneText,
} from './checkpoint-form.ts'
import {
  type CheckpointKey,
  type CheckpointVerifier,
  checkpointKey,
  checkpointVerifier,
} from './checkpoint-key.ts'
import { checkpointStore } from './checkpoint-store.ts'

/**
 * Statement of a rotation, signed by both checkpoint keys: the previous key signed the checkpoints
 * up to a number, the last with this digest, and none after.
 */
export type CheckpointKeyRotation = Selectable<Schema['audit_checkpoint_keys']>

/** After a rotation, this process must sign nothing. */
export class CheckpointKeyEnded extends Error {}

/** Requires the checkpoint lock. @throws CheckpointKeyEnded */
export async function keyInUse(
  trx: DatabaseOrTransaction,
  key: () => CheckpointKey,
): Promise<CheckpointKey> {
  const present = key()
  const ended = await isEnded(trx, present.id)
  if (!ended) return present
  throw new CheckpointKeyEnded(
    `the master key was turned: ${ended.successor} signs checkpoints, and not ${present.id}`,
  )
}

/** Rejects a restore under a rotated master key: others may have that key. @throws Error */
export async function assertNotTurnedAway(
  trx: DatabaseOrTransaction,
  { id }: Pick<CheckpointKey, 'id'>,
): Promise<void> {
  if (!(await isEnded(trx, id))) return
  throw new Error(
    'the master key here is one that was turned away from before the backup was made: ' +
      'set MASTER_KEY to the one after it or to a new one, or remove DATA_DIR/master.key, which makes a new one',
  )
}

/**
 * Writes the statement and re-signs the tombstones, in the transaction of the rotation: the
 * previous key can then forge nothing.
 */
export const handOverCheckpoints: OnRotated = async (trx, { before, next, at }) => {
  const old = checkpointKey(checkpointSeedOf(before))
  const own = checkpointKey(checkpointSeedOf(next))
  // In a restored copy, only statements name rotated keys.
  if (await isEnded(trx, own.id)) throw new NotRotated(nextWasInUse)
  const store = checkpointStore(trx)
  const last = await store.last()
  const unsigned = {
    key_id: old.id,
    public_key: old.publicKey,
    successor: own.id,
    number: last?.number ?? 0,
    digest: last ? checkpointDigest(last) : noCheckpointBefore,
    at,
  }
  const text = rotationText(unsigned)
  await trx
    .insertInto('audit_checkpoint_keys')
    .values({ ...unsigned, own_signature: old.sign(text), signature: own.sign(text) })
    .execute()

  for await (const tombstone of store.tombstones()) {
    if (!old.verifies(tombstoneText(tombstone), tombstone.signature)) continue // reported by `audit verify`
    const { key_id: _, signature: __, ...kept } = tombstone
    await store.keepTombstone(signTombstone(own, kept))
  }
}

function isEnded(trx: DatabaseOrTransaction, keyId: string) {
  return trx
    .selectFrom('audit_checkpoint_keys')
    .select('successor')
    .where('key_id', '=', keyId)
    .executeTakeFirst()
}

function rotationText({
  key_id,
  public_key,
  successor,
  number,
  digest,
  at,
}: Omit<CheckpointKeyRotation, 'own_signature' | 'signature'>): string {
  return JSON.stringify([
    'gatehouse checkpoint key 1',
    key_id,
    public_key,
    successor,
    number,
    digest,
    at,
  ])
}

/** The current key, and earlier keys with valid statements. */
export interface CheckpointSigners {
  readonly own: CheckpointKey
  /** Undefined without a valid statement for this number. */
  of(checkpoint: Pick<Checkpoint, 'key_id' | 'number'>): CheckpointVerifier | undefined
  hasEnded(keyId: string): boolean
  attested(number: number): string | undefined
  /** Statements with a wrong signature or key id. */
  readonly broken: readonly string[]
}

/** Newest first. */
export async function readSigners(
  db: DatabaseOrTransaction,
  own: CheckpointKey,
): Promise<CheckpointSigners> {
  const rows = await db.selectFrom('audit_checkpoint_keys').selectAll().orderBy('key_id').execute()
  const before = new Map<
    string,
    { readonly key: CheckpointVerifier; readonly row: CheckpointKeyRotation }
  >()
  const broken: string[] = []
  const left = new Set(rows)
  for (let keys: CheckpointVerifier[] = [own]; keys.length > 0; ) {
    const [successor, ...others] = keys
    keys = others
    for (const row of left) {
      if (!successor || row.successor !== successor.id) continue
      left.delete(row)
      const key = vouchedFor(row, successor)
      if (!key) {
        broken.push(row.key_id)
        continue
      }
      before.set(key.id, { key, row })
      keys.push(key)
    }
  }
  const digests = new Map([...before.values()].map(({ row }) => [row.number, row.digest]))
  return {
    own,
    of({ key_id, number }) {
      if (key_id === own.id) return own
      const found = before.get(key_id)
      return found && number <= found.row.number ? found.key : undefined
    },
    hasEnded: (keyId) => before.has(keyId),
    attested: (number) => digests.get(number),
    broken,
  }
}

/** Null if the statement was changed. */
function vouchedFor(
  row: CheckpointKeyRotation,
  successor: CheckpointVerifier,
): CheckpointVerifier | null {
  const text = rotationText(row)
  try {
    const key = checkpointVerifier(row.public_key)
    const isIntact =
      key.id === row.key_id &&
      successor.verifies(text, row.signature) &&
      key.verifies(text, row.own_signature)
    return isIntact ? key : null
  } catch {
    return null
  }
}
