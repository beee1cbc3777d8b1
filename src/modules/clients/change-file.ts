import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../../core/lib/clock.ts'
import { systemCode } from '../../core/reason.ts'
import type { Client } from './client-entry.ts'
import { clientsText, maxBytes, parseClients } from './clients-file.ts'

/** The file is unchanged. */
export class ClientsFileError extends Error {
  /** `rights`: no access to file or folder; `content`: invalid. */
  readonly kind: 'missing' | 'rights' | 'content' | 'busy'

  constructor(kind: ClientsFileError['kind'], message: string) {
    super(message)
    this.name = 'ClientsFileError'
    this.kind = kind
  }
}

const maxWaitMs = 2000
const pollMs = 50

/** @throws ClientsFileError */
export function clientsIn(path: string): readonly Client[] {
  const found = read(path)
  if (!found) throw new ClientsFileError('missing', `there is no file ${path}`)
  return found.clients
}

/**
 * Replaces the file atomically, keeping mode and owner; one process at a time. Creates a missing
 * file with mode 0600 if `mayMake`. @throws ClientsFileError, or errors of `change`; the file then
 * stays unchanged
 */
export async function changeClients(
  path: string,
  change: (clients: readonly Client[]) => readonly Client[],
  { clock, mayMake = false }: { readonly clock: Clock; readonly mayMake?: boolean },
): Promise<void> {
  const target = targetOf(path)
  const draft = `${target}.new` // its existence is the lock
  const descriptor = await openDraft(draft, path, clock)
  // Synchronous from here: signals cannot leave a draft.
  try {
    const found = read(path)
    if (!found && !mayMake) throw new ClientsFileError('missing', `there is no file ${path}`)
    const text = clientsText(change(found?.clients ?? []))
    if (found) takeOver(descriptor, found.stats)
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
    renameSync(draft, target)
    syncFolder(dirname(target))
  } catch (error) {
    rmSync(draft, { force: true })
    throw refusalOf(error, path)
  } finally {
    closeSync(descriptor)
  }
}

/** Resolves a symbolic link, which must not be replaced. */
function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return path
    throw refusalOf(error, path)
  }
}

async function openDraft(draft: string, path: string, clock: Clock): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    try {
      return openSync(draft, 'wx', 0o600)
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw refusalOf(error, path)
      if (waitedMs >= maxWaitMs) {
        throw new ClientsFileError(
          'busy',
          `another command changes ${path}; if there is none, delete ${draft}`,
        )
      }
    }
    await clock.wait(pollMs)
  }
}

function read(path: string): { clients: readonly Client[]; stats: Stats } | null {
  let text: string
  let stats: Stats
  try {
    stats = statSync(path)
    if (!stats.isFile()) throw new ClientsFileError('rights', `${path} is no file`)
    if (stats.size > maxBytes) throw new ClientsFileError('content', `${path} is too long`)
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw refusalOf(error, path)
  }
  const { clients, mistakes } = parseClients(text)
  if (mistakes.length === 0) return { clients, stats }
  throw new ClientsFileError('content', `${path} ${mistakes.join('; ')}`)
}

/** The service must be able to read the new file. */
function takeOver(descriptor: number, { mode, uid, gid }: Stats): void {
  const own = fstatSync(descriptor)
  if (own.uid !== uid || own.gid !== gid) fchownSync(descriptor, uid, gid)
  fchmodSync(descriptor, mode & 0o777)
}

/** Persists the rename, where supported. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    fsyncSync(descriptor)
    closeSync(descriptor)
  } catch {} // the change is visible already
}

function refusalOf(error: unknown, path: string): unknown {
  const code = systemCode(error)
  if (code === undefined) return error
  return new ClientsFileError('rights', `${path} cannot be read or changed (${code})`)
}
