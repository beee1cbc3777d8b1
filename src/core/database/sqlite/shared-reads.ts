import type { ChangeFeed } from '../database.ts'

/** Reads the numbers from the file once for work that is done together, otherwise at each call. */
export function sharedReads(read: Pick<ChangeFeed, 'version' | 'anyVersion'>): ChangeFeed {
  let isTogether = false
  let version: number | undefined
  let anyVersion: number | undefined

  return {
    isCurrent: () => true,
    version() {
      if (!isTogether) return read.version()
      version ??= read.version()
      return version
    },
    anyVersion() {
      if (!isTogether) return read.anyVersion()
      anyVersion ??= read.anyVersion()
      return anyVersion
    },
    together(work) {
      isTogether = true
      try {
        work()
      } finally {
        isTogether = false
        version = undefined
        anyVersion = undefined
      }
    },
  }
}
