import type { Connection, Synchronous } from './connection.ts'
import type { GroupCommit } from './group-commit.ts'

export interface Disk {
  /** For commits that must survive a power loss. */
  readonly full: Synchronous
  /**
   * Call after a commit: waits until everything that the commit read is on disk, and the commit
   * itself if required.
   * @throws DatabaseUnavailable
   */
  committed(mustBeOnDisk: boolean): Promise<void> | undefined
  /** Undefined if all commits are on disk. @throws DatabaseUnavailable */
  pending(): Promise<void> | undefined
  /** The number of failed commits that may be in the database. */
  timeouts(): number
  close(): Promise<void> | undefined
}

/** Each commit waits alone and blocks the event loop. */
export const noWait: Disk = {
  full: 'full',
  committed: () => undefined,
  pending: () => undefined,
  timeouts: () => 0,
  close: () => undefined,
}

export function sharedWait(group: GroupCommit, reader: Connection): Disk {
  let version = reader.dataVersion()
  return {
    full: 'normal',
    committed(mustBeOnDisk) {
      const before = version
      version = reader.dataVersion()
      const hasChanged = version !== before
      return mustBeOnDisk && hasChanged ? group.committed() : group.pending()
    },
    pending: () => group.pending(),
    timeouts: () => group.timeouts,
    close: () => group.close(),
  }
}

/** Ends the process like an uncaught error: pending requests are answered first. */
export function endProcess(error: Error): void {
  setImmediate(() => {
    throw error
  })
}
