import type { KeyAges } from './key-ages.ts'
import { publishedMs, settleMs } from './opened-keys.ts'
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
export function assertReplaced(
  key: SealedKey,
  {
    present,
    ages,
    now,
  }: {
    readonly present: readonly SealedKey[]
    readonly ages: KeyAges
    readonly now: number
  },
): void {
  if (key.retiredAt === null) throw new KeySigns('this key signs: rotate first')
  const signs = (successor: SealedKey) =>
    successor.signsFrom === null
      ? ages.of(successor) >= handedOverMs
      : now >= successor.signsFrom || ages.seen(successor.id) >= publishedMs + handedOverMs
  const isReplaced = present.some(
    (other) =>
      other.purpose === key.purpose &&
      other.algorithm === key.algorithm &&
      other.createdAt > key.createdAt &&
      signs(other),
  )
  if (isReplaced) return
  throw new KeySigns('this key signs until its successor does: rotate --now is quicker')
}
