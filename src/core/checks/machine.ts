import { readdirSync, type Stats, type StatsFs, statfsSync, statSync } from 'node:fs'

export interface Machine {
  /** Null if missing. @throws Error if not permitted */
  stat(path: string): Stats | null
  /** Empty if missing. */
  list(path: string): readonly string[]
  /** Disk space. @throws Error */
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
