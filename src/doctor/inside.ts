import { isLoopback } from '../addresses/loopback.ts'
import type { Config } from '../config/load.ts'
import type { Deps } from '../runtime/deps.ts'
import { type Check, type Finding, make } from './check.ts'
import { backupChecks } from './checks/backups.ts'
import { databaseChecks, openingChecks } from './checks/database.ts'
import { fileChecks } from './checks/files.ts'
import { machineChecks } from './checks/machine.ts'
import { otherServiceChecks } from './checks/other-services.ts'
import { proxySettingChecks } from './checks/proxy-settings.ts'
import { settingChecks } from './checks/settings.ts'
import { type Machine, thisMachine } from './machine.ts'

/** What the inside checks look at: settings, files, database, and the services that this one uses. */
export interface Inside
  extends Pick<Deps, 'assertDatabaseServes' | 'clock' | 'config' | 'db' | 'events' | 'fetch'> {
  readonly machine: Machine
}

/** In the order of the report. Those that need the database come after those that open it. */
export const insideChecks: readonly Check<Inside>[] = [
  ...settingChecks,
  ...proxySettingChecks,
  ...fileChecks,
  ...machineChecks,
  ...otherServiceChecks,
  ...openingChecks,
  ...databaseChecks,
  ...backupChecks,
]

const needingDatabase: ReadonlySet<Check<Inside>> = new Set([...databaseChecks, ...backupChecks])

export type InsideDeps = Omit<Inside, 'machine'>

/**
 * Makes the inside checks; changes nothing. If the database cannot be used, that is the finding, and
 * what needs it is left out.
 */
export async function examineInside(
  deps: InsideDeps,
  { machine = thisMachine }: { readonly machine?: Machine } = {},
): Promise<{ findings: Finding[]; checks: number }> {
  const scene: Inside = { ...deps, machine }
  const findings: Finding[] = []
  const opening: ReadonlySet<string> = new Set(openingChecks.map(({ id }) => id))
  let checks = 0
  for (const check of insideChecks) {
    const isOpen = !findings.some(({ check: id, level }) => opening.has(id) && level === 'error')
    if (needingDatabase.has(check) && !isOpen) continue
    if (opening.has(check.id) && !isOpen) continue
    findings.push(...(await make(check, scene)))
    checks += 1
  }
  return { findings, checks }
}

/** Whether callers of other machines reach the service: what is advice at a desk is a danger there. */
export function isPublic({ baseUrl, http }: Pick<Config, 'baseUrl' | 'http'>): boolean {
  return !isLoopback(new URL(baseUrl).hostname) || !isLoopback(http.host)
}
