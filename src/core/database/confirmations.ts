import { AsyncLocalStorage } from 'node:async_hooks'

const awaited = new AsyncLocalStorage<Promise<void>[]>()

/**
 * Runs work, then waits until the nodes have confirmed what the work committed. Work that throws
 * acknowledges nothing, so nothing is waited for.
 */
export async function confirming<T>(work: () => Promise<T>): Promise<T> {
  const confirmations: Promise<void>[] = []
  const result = await awaited.run(confirmations, work)
  await Promise.all(confirmations)
  return result
}

/**
 * Defers the wait to the enclosing `confirming`, which holds no lock, connection or place in a
 * queue. Without an enclosing `confirming`, resolves with the confirmation.
 */
export async function confirmedLater(confirmation: Promise<void>): Promise<void> {
  const confirmations = awaited.getStore()
  if (!confirmations) return confirmation
  confirmations.push(confirmation)
}
