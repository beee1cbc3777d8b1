import { readdirSync, type Stats, type StatsFs, statfsSync, statSync } from 'node:fs'

/** What is asked of the operating system. */
export interface Machine {
  /** Null if there is nothing at the path. @throws Error if it may not be looked at */
  stat(path: string): Stats | null
  /** The names in a folder; none if it is not there. */
  list(path: string): readonly string[]
  /** The space of the disk of a path. @throws Error */
  space(path: string): StatsFs
}

export const thisMachine: Machine = {
  stat: (path) => statSync(path, { throwIfNoEntry: false }) ?? null,
  list(path) {
    try {
      return readdirSync(path)
    } catch {
      return []
    }
  },
  space: (path) => statfsSync(path),
}
