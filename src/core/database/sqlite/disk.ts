import type { Connection, Synchronous } from './connection.ts'
import type { GroupCommit } from './group-commit.ts'

/** How the results of commits and reads wait for the disk. */
export interface Disk {
  /** The mode of a commit that must survive a loss of power. */
  readonly full: Synchronous
  /**
   * After a commit: resolves when all that it may have read is on disk, and itself if it must be.
   * @throws DatabaseUnavailable
   */
  committed(mustBeOnDisk: boolean): Promise<void> | undefined
  /** Resolves when all that was committed is on disk; undefined if it is. @throws as above */
  pending(): Promise<void> | undefined
  /** How often commits have failed that may be in the database all the same. */
  timeouts(): number
  close(): Promise<void> | undefined
}

/** Each commit waits by itself, and blocks the event loop. */
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

/** Ends the process as an uncaught error does: requests under way are answered first. */
export function endProcess(error: Error): void {
  setImmediate(() => {
    throw error
  })
}
