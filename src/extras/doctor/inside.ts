import { damageIn } from '../../core/database/errors.ts'
import { reasonOf } from '../../core/reason.ts'
import { type Check, type Finding, findingOf, runCheck } from './check.ts'
import { auditChecks } from './checks/audit.ts'
import { backupChecks } from './checks/backups.ts'
import { databaseCheck, databaseChecks, openingChecks } from './checks/database.ts'
import { fileChecks } from './checks/files.ts'
import { machineChecks } from './checks/machine.ts'
import { mailFiles } from './checks/mail-files.ts'
import { masterKeyChecks } from './checks/master-key.ts'
import { otherServiceChecks } from './checks/other-services.ts'
import { databasePages } from './checks/pages.ts'
import { proxySettingChecks } from './checks/proxy-settings.ts'
import { queueChecks } from './checks/queues.ts'
import { schemaObjects } from './checks/schema-objects.ts'
import { cookieChecks } from './checks/session-cookie.ts'
import { settingChecks } from './checks/settings.ts'
import { usernameChecks } from './checks/usernames.ts'
import type { InsideContext, OfflineContext } from './context.ts'
import { type Machine, thisMachine } from './machine.ts'

const offlineChecks: readonly Check<OfflineContext>[] = [
  ...settingChecks,
  ...cookieChecks,
  ...proxySettingChecks,
  ...fileChecks,
  ...machineChecks,
  ...otherServiceChecks,
]

const openedChecks: readonly Check<InsideContext>[] = [
  ...masterKeyChecks,
  ...databaseChecks,
  schemaObjects,
  ...auditChecks,
  ...queueChecks,
  ...backupChecks,
  mailFiles,
  ...usernameChecks,
]

/** In the order of the report. Those that need the database come after those that open it. */
export const insideChecks: readonly Check<InsideContext>[] = [
  ...offlineChecks,
  ...openingChecks,
  ...openedChecks,
]

const needingDatabase: ReadonlySet<Check<InsideContext>> = new Set(openedChecks)

export type InsideDeps = Omit<InsideContext, 'machine'>

/**
 * Makes the inside checks; changes nothing. If the database cannot be used, that is the finding, and
 * what needs it is left out.
 */
export async function examineInside(
  deps: InsideDeps,
  { machine = thisMachine }: { readonly machine?: Machine } = {},
): Promise<{ findings: Finding[]; checks: number }> {
  const context: InsideContext = { ...deps, machine }
  const findings: Finding[] = []
  const opening: ReadonlySet<string> = new Set(openingChecks.map(({ id }) => id))
  let checks = 0
  for (const check of insideChecks) {
    const isOpen = !findings.some(({ check: id, level }) => opening.has(id) && level === 'error')
    if (needingDatabase.has(check) && !isOpen) continue
    if (opening.has(check.id) && !isOpen) continue
    findings.push(...(await runCheck(check, context)))
    checks += 1
  }
  return { findings, checks }
}

/** Makes the checks that need no database, which cannot be opened: that is a finding as well. */
export async function examineOffline(
  deps: Omit<OfflineContext, 'machine'>,
  {
    error,
    reason = reasonOf(error),
    machine = thisMachine,
  }: { readonly error?: unknown; readonly reason?: string; readonly machine?: Machine },
): Promise<{ findings: Finding[]; checks: number }> {
  const context: OfflineContext = { ...deps, machine }
  const findings: Finding[] = []
  for (const check of offlineChecks) findings.push(...(await runCheck(check, context)))
  const what = `The database cannot be opened: ${reason}.`
  const mend = damageIn(error) ? databasePages.mend : undefined
  findings.push(findingOf(databaseCheck, { what, ...(mend && { mend }) }))
  return { findings, checks: offlineChecks.length + 1 }
}
