export interface HashingSettings {
  /** HASHING_MEMORY_MIB; undefined: two hashes. */
  readonly memoryMib: number | undefined
  /** PASSWORD_ARGON2_MEMORY_KIB. */
  readonly argon2MemoryKib: number
  /** UV_THREADPOOL_SIZE. */
  readonly poolSize: string | undefined
}

const defaultHashes = 2
// https://docs.libuv.org/en/v1.x/threadpool.html
const defaultPoolSize = 4
const kibPerMib = 1024

/**
 * Bounded by memory, and below the thread pool size. A third hash on two cores fills gaps between
 * logins.
 */
export function hashesAtOnce(settings: HashingSettings): number {
  return Math.max(1, Math.min(held(settings), spareThreads(settings.poolSize)))
}

export function hashingMistakes({ memoryMib, argon2MemoryKib }: HashingSettings): string[] {
  if (memoryMib === undefined || memoryMib * kibPerMib >= argon2MemoryKib) return []
  const least = Math.ceil(argon2MemoryKib / kibPerMib)
  return [
    `HASHING_MEMORY_MIB must hold one hash of PASSWORD_ARGON2_MEMORY_KIB: ${least} at the least`,
  ]
}

/** Warns if HASHING_MEMORY_MIB allows more hashes than threads. */
export function hashingWarnings(settings: HashingSettings): string[] {
  const [hashes, threads] = [held(settings), spareThreads(settings.poolSize)]
  if (settings.memoryMib === undefined || hashes <= threads) return []
  const [some, needed] = [Math.max(1, threads), hashes + 1]
  return [
    `HASHING_MEMORY_MIB holds ${hashes} hashes, of which ${some} are computed at a time: UV_THREADPOOL_SIZE=${needed} would have threads for all`,
  ]
}

function held({ memoryMib, argon2MemoryKib }: HashingSettings): number {
  if (memoryMib === undefined) return defaultHashes
  return Math.floor((memoryMib * kibPerMib) / argon2MemoryKib)
}

/** Keeps one thread for token checks. */
function spareThreads(poolSize: string | undefined): number {
  const threads = poolSize === undefined ? defaultPoolSize : Number.parseInt(poolSize, 10)
  return (threads || 1) - 1
}
