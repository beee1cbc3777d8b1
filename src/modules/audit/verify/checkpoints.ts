import {
  type Checkpoint,
  checkpointDigest,
  checkpointsTombstone,
  checkpointText,
  type Head,
  noCheckpointBefore,
  parseHeads,
  type Tombstone,
  tombstoneText,
} from '../checkpoint-form.ts'
import type { CheckpointKey } from '../checkpoint-key.ts'
import type { CheckpointSigners } from '../checkpoint-key-rotation.ts'
import type { CheckpointStore } from '../checkpoint-store.ts'
import { closedKeysOfTombstone } from '../closed-keys.ts'
import type { ClosedKeysCheck } from './closed.ts'
import { type Findings, generalProblem, type NamedCheckpoint } from './report.ts'

export interface Tombstones {
  readonly ofChains: ReadonlyMap<string, Pick<Tombstone, 'place' | 'mac'>>
  readonly ofCheckpoints: Pick<Tombstone, 'place' | 'mac'> | undefined
  readonly count: number
}

type Lists = Pick<ClosedKeysCheck, 'list'>

/** Ignores wrong signatures. */
export async function readTombstones(
  store: CheckpointStore,
  { key, closedKeys }: { readonly key: CheckpointKey; readonly closedKeys: Lists },
  findings: Findings,
): Promise<Tombstones> {
  const ofChains = new Map<string, Pick<Tombstone, 'place' | 'mac'>>()
  let ofCheckpoints: Pick<Tombstone, 'place' | 'mac'> | undefined
  let count = 0
  for await (const tombstone of store.tombstones()) {
    const { chain, place, mac } = tombstone
    count += 1
    if (!key.verifies(tombstoneText(tombstone), tombstone.signature)) {
      const detail = `the tombstone of the chain ${chain} is not signed by this service`
      findings.add(generalProblem('tombstone', detail, chain), 0)
      continue
    }
    if (chain === checkpointsTombstone) ofCheckpoints = { place, mac }
    else ofChains.set(chain, { place, mac })
    closedKeys.list(closedKeysOfTombstone(tombstone), chain)
  }
  return { ofChains, ofCheckpoints, count }
}

export interface Attested {
  /** Newest head by chain. */
  readonly heads: ReadonlyMap<string, Head & { readonly checkpoint: number }>
  readonly count: number
  readonly last: NamedCheckpoint | null
  /** Checkpoints of another key before this key's first; `at`: the newest. */
  readonly foreign: { readonly count: number; readonly at: number; readonly key: string } | null
  /** First checkpoint of this key or a vouched earlier key. */
  readonly own: NamedCheckpoint | null
}

/**
 * Verifies numbers, links and signatures. After a restore under another master key, checkpoints of
 * another key come first: this key's first checkpoint refers to them and so vouches for them. A
 * rotated key is valid up to its rotation.
 */
export async function readCheckpoints(
  store: CheckpointStore,
  {
    signers,
    tombstone,
  }: { readonly signers: CheckpointSigners; readonly tombstone: Tombstones['ofCheckpoints'] },
  findings: Findings,
): Promise<Attested> {
  const heads = new Map<string, Head & { readonly checkpoint: number }>()
  let count = 0
  let last: Checkpoint | null = null
  let own: NamedCheckpoint | null = null
  let foreign = null as Attested['foreign']
  let expected = {
    number: (tombstone?.place ?? 0) + 1,
    previous: tombstone?.mac ?? noCheckpointBefore,
  }

  const wrong = (number: number, detail: string) =>
    findings.add(generalProblem('checkpoint', `checkpoint ${number} ${detail}`), Infinity)

  for await (const checkpoint of store.allFrom(0)) {
    const { number, at } = checkpoint
    count += 1
    if (number !== expected.number) {
      const range = rangeOf(expected.number, number - 1)
      wrong(number, `follows a gap: ${range} missing, or they were removed without a tombstone`)
    } else if (checkpoint.previous !== expected.previous) {
      wrong(number, 'does not refer to the checkpoint before it: one of the two was changed')
    }
    const key = signers.of(checkpoint)
    const attested = signers.attested(number)
    if (key) {
      own ??= { number, at }
      if (!key.verifies(checkpointText(checkpoint), checkpoint.signature)) {
        wrong(number, 'was changed: its signature is wrong')
      } else if (attested !== undefined && attested !== checkpointDigest(checkpoint)) {
        wrong(number, 'is not the checkpoint that the turn of the master key attests')
      }
    } else if (signers.hasEnded(checkpoint.key_id)) {
      wrong(
        number,
        `is signed by ${checkpoint.key_id}, from which the master key was turned before`,
      )
    } else if (own) {
      wrong(number, `is signed by another key, ${checkpoint.key_id}`)
    } else {
      foreign = { count: (foreign?.count ?? 0) + 1, at, key: checkpoint.key_id }
    }
    note(checkpoint)
    expected = { number: number + 1, previous: checkpointDigest(checkpoint) }
    last = checkpoint
  }
  const named = last && { number: last.number, at: last.at }
  return { heads, count, last: named, foreign, own }

  function note(checkpoint: Checkpoint): void {
    const parsed = parseHeads(checkpoint.heads)
    if (!parsed) wrong(checkpoint.number, 'has heads that cannot be read')
    for (const head of parsed ?? []) {
      const before = heads.get(head.chain)
      if (before && (head.from !== before.place + 1 || head.place < head.from)) {
        wrong(
          checkpoint.number,
          `does not go on in the chain ${head.chain} where one before it ended`,
        )
      }
      heads.set(head.chain, { ...head, checkpoint: checkpoint.number })
    }
  }
}

/** `1 is`, or `1 to 3 are`. */
export function rangeOf(from: number, to: number): string {
  return from === to ? `${from} is` : `${from} to ${to} are`
}
