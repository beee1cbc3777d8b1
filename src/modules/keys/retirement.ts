import type { KeyAges } from './key-ages.ts'
import { publishedMs, settleMs } from './opened-keys.ts'
import type { SealedKey } from './store.ts'

/** The key signs, or is about to sign. */
export class KeySigns extends Error {}

/** The key is configured by the operator, or does not sign. */
export class KeyNotReplaced extends Error {}

// A node knows every change older than half a second before the node signs.
const handedOverMs = settleMs + 500
/** How long until every node signs with an immediate successor. */
export const handoverMs = handedOverMs + 500

/** Asserts that every node signs with the successor of a key. @throws KeySigns */
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
