import { type Checkpoint, checkpointText } from '../checkpoint-form.ts'
import type { CheckpointSigners } from '../checkpoint-key-rotation.ts'
import type { CheckpointStore } from '../checkpoint-store.ts'
import { checkpointOfLine } from '../outside/file-sink.ts'
import {
  type Findings,
  type Fork,
  generalProblem,
  type NamedCheckpoint,
  type Restore,
} from './report.ts'

export interface ReadOutside {
  readonly lines: number
  readonly checkpoints: number
  readonly last: NamedCheckpoint | null
  /** Null if the database has all checkpoints. */
  readonly lacking: Omit<Fork, 'restore'> | null
  readonly removed: number
}

export interface OutsideOptions {
  readonly signers: CheckpointSigners
  readonly lines: AsyncIterable<string>
  /** Last removed by retention; 0 for none. */
  readonly removedThrough: number
  /** 0 for none. */
  readonly lastNumber: number
  /** First checkpoint by this key; later foreign checkpoints are a problem. */
  readonly ownFrom: number
}

const batchSize = 500

/** By checkpoint number. */
export async function readOutside(
  store: CheckpointStore,
  { signers, lines, removedThrough, lastNumber, ownFrom }: OutsideOptions,
  findings: Findings,
): Promise<ReadOutside> {
  const counts = { lines: 0, checkpoints: 0, removed: 0 }
  let last = null as NamedCheckpoint | null
  let lacking: Omit<Fork, 'restore'> | null = null
  let batch: { readonly line: number; readonly checkpoint: Checkpoint }[] = []

  for await (const line of lines) {
    if (line === '') continue
    counts.lines += 1
    const checkpoint = checkpointOfLine(line)
    if (!checkpoint) continue // such as records
    counts.checkpoints += 1
    batch.push({ line: counts.lines, checkpoint })
    if (batch.length < batchSize) continue
    await compare()
    batch = []
  }
  await compare()
  return { ...counts, last, lacking }

  async function compare(): Promise<void> {
    const present = await presentOf(store, batch)
    for (const { line, checkpoint } of batch) {
      const { number, at } = checkpoint
      const ours = present.get(number)
      if (ours && isSame(ours, checkpoint)) {
        noteNewest(checkpoint)
      } else if (
        signers.of(checkpoint)?.verifies(checkpointText(checkpoint), checkpoint.signature) === false
      ) {
        const detail = `line ${line} of the file outside is not signed by this service: it was changed`
        findings.add(generalProblem('outside', detail))
      } else if (!ours && number <= removedThrough) {
        counts.removed += 1
      } else if (ours ? isForged(ours) : number <= lastNumber) {
        noteNewest(checkpoint) // the verification of the database reports it
      } else {
        noteNewest(checkpoint)
        lacking = {
          from: Math.min(lacking?.from ?? number, number),
          to: Math.max(lacking?.to ?? number, number),
          lines: (lacking?.lines ?? 0) + 1,
          at: Math.max(lacking?.at ?? at, at),
        }
      }
    }
  }

  function noteNewest({ number, at }: NamedCheckpoint): void {
    if (!last || at >= last.at) last = { number, at }
  }

  /** Earlier foreign checkpoints cannot be judged. */
  function isForged(ours: Checkpoint): boolean {
    const key = signers.of(ours)
    if (!key) return ours.number > ownFrom
    return !key.verifies(checkpointText(ours), ours.signature)
  }
}

async function presentOf(
  store: CheckpointStore,
  batch: readonly { readonly checkpoint: Checkpoint }[],
): Promise<Map<number, Checkpoint>> {
  const numbers = [...new Set(batch.map(({ checkpoint }) => checkpoint.number))]
  const found = numbers.length > 0 ? await store.numbered(numbers) : []
  return new Map(found.map((checkpoint) => [checkpoint.number, checkpoint]))
}

function isSame(one: Checkpoint, other: Checkpoint): boolean {
  return one.signature === other.signature && checkpointText(one) === checkpointText(other)
}

/** The restore that lost all missing checkpoints; null if none explains them. */
export function explaining({ at }: Pick<Fork, 'at'>, last: Restore | null): Restore | null {
  return last && last.at >= at ? last : null
}
