import { Worker } from 'node:worker_threads'
import type { Config } from '../../../core/config/load.ts'
import { serializeConfig } from '../../../core/database/thread-connection.ts'
import type { AuditKeys } from '../../keys/audit-keys.ts'
import type { Verification } from './report.ts'

/** The input of the thread of a verification. The thread has no config of its own. */
export interface VerifyOrder {
  /** The result of `serializeConfig(config.database)`. */
  readonly database: unknown
  readonly keys: AuditKeys
  /** The file of checkpoints outside; null if it is missing. */
  readonly outside: string | null
  /** Epoch milliseconds. */
  readonly now: number
}

/** A message from the thread. */
export type VerifyFromWorker =
  | { readonly kind: 'progress'; readonly records: number }
  | { readonly kind: 'verified'; readonly found: Verification }
  | { readonly kind: 'failed'; readonly message: string }

/** The verification came to no result. */
export class VerificationFailed extends Error {}

export interface VerifyOnThreadOptions {
  readonly database: Config['database']
  readonly keys: AuditKeys
  readonly outside: string | null
  /** Epoch milliseconds. */
  readonly now: number
  /** Ends it. */
  readonly signal: AbortSignal
  readonly onProgress: (records: number) => void
}

/** How long nothing may come forward: a disk of the network may hang for good. */
const stallMs = 300_000
/** What it takes is the same for any number of records; without a limit a mistake would end the service. */
const memory = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 192 }

/**
 * Verifies the whole audit log on a thread, because the macs and seals of all records would keep the
 * event loop from callers for seconds. @throws VerificationFailed
 */
export async function verifyOnThread({
  database,
  keys,
  outside,
  now,
  signal,
  onProgress,
}: VerifyOnThreadOptions): Promise<Verification> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const order: VerifyOrder = {
    ...{ database: serializeConfig(database), keys: copyOf(keys) },
    ...{ outside, now },
  }
  const thread = new Worker(new URL(`./verify-thread.${extension}`, import.meta.url), {
    workerData: order,
    execArgv: [],
    resourceLimits: memory,
  })
  const end = Promise.withResolvers<Verification>()
  const fail = (message: string) => end.reject(new VerificationFailed(message))
  const stop = () => fail('it was ended')
  let stall: NodeJS.Timeout | undefined
  const moved = () => {
    clearTimeout(stall)
    stall = setTimeout(fail, stallMs, 'nothing was read for five minutes').unref()
  }
  thread.on('message', (fromWorker: VerifyFromWorker) => {
    moved()
    if (fromWorker.kind === 'progress') onProgress(fromWorker.records)
    else if (fromWorker.kind === 'failed') fail(fromWorker.message)
    else end.resolve(fromWorker.found)
  })
  thread.once('error', (error: Error) => fail(error.message))
  thread.once('exit', () => fail('its thread has ended'))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  moved()
  try {
    return await end.promise
  } finally {
    clearTimeout(stall)
    signal.removeEventListener('abort', stop)
    await thread.terminate() // it only reads
  }
}

/** A copy, since the bytes of a key may be a part of a larger buffer, which would go as a whole. */
function copyOf(keys: AuditKeys): AuditKeys {
  const { chain, index, service, data, checkpointSeed } = keys
  return {
    chain: Uint8Array.from(chain),
    index: Uint8Array.from(index),
    service: Uint8Array.from(service),
    data: Uint8Array.from(data),
    checkpointSeed: Uint8Array.from(checkpointSeed),
  }
}
