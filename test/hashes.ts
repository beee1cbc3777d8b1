import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import type { TestApp } from './app.ts'

// Jobs handed to the thread pool: the native modules name theirs with the text `undefined`.
const hashJobs = new Set(['undefined', 'PBKDF2REQUEST'])

/**
 * How many password hashes were computed on behalf of the work, counted where Node hands them to
 * its threads; nothing of the service is replaced or watched.
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

/** Acts whenever a password hash begins to be computed on behalf of the work. */
export async function atEachHash<T>(work: () => Promise<T>, act: () => void): Promise<T> {
  const here = new AsyncLocalStorage<true>()
  const hook = createHook({
    init: (_id, type) => {
      if (hashJobs.has(String(type)) && here.getStore()) act()
    },
  }).enable()
  try {
    return await here.run(true, work)
  } finally {
    hook.disable()
  }
}

/** How many password hashes the whole process computes until the work is done. */
export async function allHashes<T>(
  work: (soFar: () => number) => Promise<T>,
): Promise<{ hashes: number; result: T }> {
  let hashes = 0
  const init = (_id: number, type: string) => {
    if (hashJobs.has(String(type))) hashes += 1
  }
  const hook = createHook({ init }).enable()
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

/** Hashes as other systems write them, weaker than ours, of any password. */
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

/** Base64 without padding, as PHC strings have it. */
export function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}
