import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import type { TestApp } from './app.ts'

// The hooks of this file do not track promises: the cost would stay for the other files of the process.
// The types of jobs of the thread pool; those of native modules have the type `undefined`.
const hashJobs = new Set(['undefined', 'PBKDF2REQUEST'])

/**
 * Counts the password hashes that the work computes, where Node passes them to its threads; no code
 * of the service is replaced.
 */
export async function countHashes<T>(
  work: () => Promise<T>,
): Promise<{ hashes: number; result: T }> {
  let hashes = 0
  const result = await atEachHash(work, () => {
    hashes += 1
  })
  return { hashes, result }
}

/** Calls a function whenever the work begins to compute a password hash. */
export async function atEachHash<T>(work: () => Promise<T>, act: () => void): Promise<T> {
  const here = new AsyncLocalStorage<true>()
  const hook = createHook({
    init: (_id, type) => {
      if (hashJobs.has(String(type)) && here.getStore()) act()
    },
    trackPromises: false,
  }).enable()
  try {
    return await here.run(true, work)
  } finally {
    hook.disable()
  }
}

/** Counts the password hashes that the whole process computes during the work. */
export async function allHashes<T>(
  work: (soFar: () => number) => Promise<T>,
): Promise<{ hashes: number; result: T }> {
  let hashes = 0
  const init = (_id: number, type: string) => {
    if (hashJobs.has(String(type))) hashes += 1
  }
  const hook = createHook({ init, trackPromises: false }).enable()
  try {
    const result = await work(() => hashes)
    return { hashes, result }
  } finally {
    hook.disable()
  }
}

/** Sets the stored hash of an account, as an import would. */
export async function storeHash(app: TestApp, userId: number, hash: string): Promise<void> {
  await app.deps.db.updateTable('passwords').set({ hash }).where('account', '=', userId).execute()
}

export async function storedHash(app: TestApp, userId: number): Promise<string> {
  const { hash } = await app.deps.db
    .selectFrom('passwords')
    .select('hash')
    .where('account', '=', userId)
    .executeTakeFirstOrThrow()
  return hash ?? ''
}

/** Hashes of a password in the formats of other systems, weaker than those of the service. */
export const importedHashes: Record<string, (password: string) => Promise<string>> = {
  bcrypt: (password) => bcryptHash(password, 4),
  'bcrypt $2a$': async (password) => (await bcryptHash(password, 4)).replace('$2y$', '$2a$'),
  'bcrypt $2b$': async (password) => (await bcryptHash(password, 4)).replace('$2y$', '$2b$'),
  'PBKDF2-SHA-256': async (password) => pbkdf2Hash(password),
  'PBKDF2-SHA-512': async (password) => pbkdf2Hash(password, { algorithm: 'sha512' }),
  'PBKDF2-SHA-256, rounds alone': async (password) => pbkdf2Hash(password).replace('i=', ''),
}

export function pbkdf2Hash(
  password: string,
  { algorithm = 'sha256', rounds = 1000 }: { algorithm?: string; rounds?: number } = {},
): string {
  const salt = randomBytes(16)
  const made = pbkdf2Sync(password, salt, rounds, 32, algorithm)
  return `$pbkdf2-${algorithm}$i=${rounds}$${unpadded(salt)}$${unpadded(made)}`
}

/** Base64 without padding, as in PHC strings. */
export function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}
