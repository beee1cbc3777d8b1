import { access, constants, readdir, realpath, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type Random, randomText } from '../../core/crypto/random.ts'
import { isoTime } from '../../core/lib/clock.ts'
import { systemCode } from '../../core/reason.ts'
import { partialOf } from './archive-writer.ts'

const ownName = /^gatehouse-\d{8}T\d{6}Z-[\w-]{8}\.backup$/

/** Unique; sorts by time. */
export function backupName(now: number, random: Random): string {
  const time = isoTime(now).replace(/\.\d+/, '').replace(/[:-]/g, '')
  return `gatehouse-${time}-${randomText(random, 6)}.backup`
}

/**
 * Returns the real path, so that one run writes to one folder. Never creates the folder: an
 * unmounted disk must not look empty. @throws Error of the system, see `folderProblem`
 */
export async function openFolder(directory: string): Promise<string> {
  const folder = await realpath(directory)
  if (!(await stat(folder)).isDirectory()) {
    throw Object.assign(new Error('it is no folder'), { code: 'ENOTDIR' })
  }
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  return folder
}

/** @throws Error if space is surely insufficient: the disk may be shared with the service */
export async function assertRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize >= bytes) return
  const message = `${bavail * bsize} bytes are left, and it takes ${bytes} or more`
  throw Object.assign(new Error(message), { code: 'ENOSPC' })
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'BACKUP_DIR is not there: is its disk mounted?',
  ENOTDIR: 'BACKUP_DIR is no folder',
  ELOOP: 'BACKUP_DIR is a symbolic link that leads nowhere',
  EACCES: 'BACKUP_DIR cannot be written by this user',
  EPERM: 'BACKUP_DIR cannot be written by this user',
  EROFS: 'BACKUP_DIR is read-only',
  ENOSPC: 'BACKUP_DIR is full',
  EDQUOT: 'BACKUP_DIR is full: the quota of this user is used up',
  EFBIG: 'BACKUP_DIR takes no file of this size',
  EIO: 'the disk of BACKUP_DIR has failed',
  ESTALE: 'BACKUP_DIR has gone away: is its disk mounted?',
}

const maxDetail = 400

/** Explains a failure to the operator. */
export function folderProblem(error: unknown): string {
  const code = systemCode(error) ?? (error instanceof Error && 'code' in error ? error.code : '')
  const known = problems[String(code)]
  const message = error instanceof Error ? error.message : String(error)
  return (known ? `${known} (${message})` : message).slice(0, maxDetail)
}

/** Our partial files, names without `.partial`. */
export async function partialsIn(folder: string): Promise<string[]> {
  const suffix = partialOf('')
  const names = await readdir(folder)
  return names
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length))
    .filter((name) => ownName.test(name))
}

/** `name` is without `.partial`. */
export async function removePartial(folder: string, name: string): Promise<void> {
  await rm(partialOf(join(folder, name)), { force: true })
}

/** Returns whether the file existed. @throws Error for a foreign name */
export async function removeBackup(folder: string, name: string): Promise<boolean> {
  if (!ownName.test(name)) throw new Error('this is no name of a backup of ours')
  try {
    await rm(join(folder, name))
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}

/** Null if missing. */
export async function bytesOf(folder: string, name: string): Promise<number | null> {
  try {
    return (await stat(join(folder, name))).size
  } catch {
    return null
  }
}
