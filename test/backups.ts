import {
  type BackupDeps,
  type BackupOptions,
  backup as backupOf,
} from '../src/extras/backup/backup.ts'
import { tablesOf } from '../src/extras/backup/copied-tables.ts'
import { type DumpOptions, takeDump as takeDumpOf } from '../src/extras/backup/dump.ts'
import { type LoadOptions, loadDump as loadDumpOf } from '../src/extras/backup/load.ts'
import { type MoveOptions, move as moveOf } from '../src/extras/backup/move.ts'
import { type RestoreOptions, restore as restoreOf } from '../src/extras/backup/restore.ts'
import { modules } from '../src/modules.ts'

/** Backups of the modules of this service, unless others are given. */
export const tables = tablesOf(modules)
export const { copied: copiedTables } = tables
export const leftOutTables: Readonly<Record<string, string>> = Object.fromEntries(tables.leftOut)

type Optional<T, Name extends keyof T> = Omit<T, Name> & Partial<Pick<T, Name>>

export function backup(
  deps: Optional<BackupDeps, 'modules'>,
  path: string,
  options: BackupOptions,
): Promise<string> {
  return backupOf({ modules, ...deps }, path, options)
}

export function restore(
  deps: Optional<BackupDeps, 'modules'>,
  path: string,
  options: RestoreOptions,
): ReturnType<typeof restoreOf> {
  return restoreOf({ modules, ...deps }, path, options)
}

export function move(options: Optional<MoveOptions, 'modules'>): ReturnType<typeof moveOf> {
  return moveOf({ modules, ...options })
}

export function takeDump(
  snapshot: Parameters<typeof takeDumpOf>[0],
  options: Partial<DumpOptions> = {},
): ReturnType<typeof takeDumpOf> {
  return takeDumpOf(snapshot, { tables, ...options })
}

export function loadDump(
  trx: Parameters<typeof loadDumpOf>[0],
  dump: Parameters<typeof loadDumpOf>[1],
  options: Optional<LoadOptions, 'tables'>,
): ReturnType<typeof loadDumpOf> {
  return loadDumpOf(trx, dump, { tables, ...options })
}
