import { accessSync, constants, lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemCode } from '../reason.ts'
import { UsageError } from './command.ts'

/** Does not open the file. @throws UsageError */
export function assertReadable(path: string): void {
  const message = `${path} cannot be read`
  attempt(message, () => accessSync(path, constants.R_OK))
  if (statSync(path).isDirectory()) throw new UsageError(`${message}: it is a folder`)
}

/** Does not create the file. @throws UsageError */
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

/** @throws UsageError for an inaccessible file, which would seem missing */
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

export function refusal(message: string, error: unknown): UsageError {
  const code = systemCode(error)
  const reason = code === undefined ? String(error) : (reasons[code] ?? code)
  return new UsageError(`${message}: ${reason}`)
}
