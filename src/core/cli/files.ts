import { accessSync, constants, lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemCode } from '../reason.ts'
import { UsageError } from './command.ts'

/** Asserts, without opening it, that a file or a pipe can be read. @throws UsageError */
export function assertReadable(path: string): void {
  const message = `${path} cannot be read`
  attempt(message, () => accessSync(path, constants.R_OK))
  if (statSync(path).isDirectory()) throw new UsageError(`${message}: it is a folder`)
}

/** Asserts, without making it, that a new file of this name can be made. @throws UsageError */
export function assertNew(path: string): void {
  const message = `${path} cannot be made`
  const folder = dirname(path)
  if (!attempt(message, () => statSync(folder)).isDirectory()) {
    throw new UsageError(`${message}: ${folder} is no folder`)
  }
  attempt(message, () => accessSync(folder, constants.W_OK | constants.X_OK))
  if (attempt(message, () => lstatSync(path, { throwIfNoEntry: false }))) {
    throw new UsageError(`${message}: it exists`)
  }
}

/**
 * Whether a database file exists. @throws UsageError if it may not be read and written, because it
 * would be taken for a missing one
 */
export function isDatabaseThere(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw refusal(`${path} cannot be opened`, error)
  }
}

function attempt<T>(message: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw refusal(message, error)
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user has no right to it',
  EPERM: 'this user has no right to it',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
}

/** Describes, by the error of the system, why a file cannot be used. */
export function refusal(message: string, error: unknown): UsageError {
  const code = systemCode(error)
  const reason = code === undefined ? String(error) : (reasons[code] ?? code)
  return new UsageError(`${message}: ${reason}`)
}
