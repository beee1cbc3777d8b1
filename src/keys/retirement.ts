import { settleMs } from './opened-keys.ts'
import type { SealedKey } from './store.ts'

/** A key cannot be retired yet, because it signs, or is about to. */
export class KeySigns extends Error {}

/** A key cannot be replaced here: the operator has configured it, or it does not sign. */
export class KeyNotReplaced extends Error {}

// Before a node signs, it knows all changes but those of the last half second; then it waits.
const handedOverMs = settleMs + 500
/** How long to wait until every node signs with a successor that signs at once. */
export const handoverMs = handedOverMs + 500

/**
 * Asserts that every node signs with a successor of a key at `now`, in epoch milliseconds.
 * @throws KeySigns otherwise
 */
export function assertReplaced(key: SealedKey, present: readonly SealedKey[], now: number): void {
  if (key.retiredAt === null) throw new KeySigns('this key signs: rotate first')
  const isReplaced = present.some(
    ({ purpose, algorithm, createdAt, signsFrom }) =>
      purpose === key.purpose &&
      algorithm === key.algorithm &&
      createdAt > key.createdAt &&
      now >= (signsFrom ?? createdAt + handedOverMs),
  )
  if (isReplaced) return
  throw new KeySigns('this key signs until its successor does: rotate --now is quicker')
}
