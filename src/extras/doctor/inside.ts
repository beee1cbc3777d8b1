import type { InsideContext, OfflineContext } from '../../core/checks/context.ts'
import { type Machine, thisMachine } from '../../core/checks/machine.ts'
import { damageIn } from '../../core/database/errors.ts'
import type { Module } from '../../core/module/module.ts'
import { reasonOf } from '../../core/reason.ts'
import { loadChecks } from './all-checks.ts'
import { databaseCheck } from './checks/database.ts'
import { databasePages } from './checks/pages.ts'
import { type Finding, findingOf, runCheck } from './finding.ts'

interface Examination {
  readonly modules: readonly Module[]
  readonly machine?: Machine
}

export type InsideDeps = Omit<InsideContext, 'machine'>

/** Changes nothing. An unusable database is a finding. */
export async function examineInside(
  deps: InsideDeps,
  { modules, machine = thisMachine }: Examination,
): Promise<{ findings: Finding[]; checks: number }> {
  const { inside, offline, opening } = await loadChecks(modules)
  const context: InsideContext = { ...deps, machine }
  const findings: Finding[] = []
  for (const check of offline) findings.push(...(await runCheck(check, context)))
  let checks = offline.length
  for (const check of opening) {
    const found = await runCheck(check, context)
    findings.push(...found)
    checks += 1
    if (found.some(({ level }) => level === 'error')) return { findings, checks }
  }
  for (const check of inside) findings.push(...(await runCheck(check, context)))
  return { findings, checks: checks + inside.length }
}

export async function examineOffline(
  deps: Omit<OfflineContext, 'machine'>,
  {
    error,
    reason = reasonOf(error),
    modules,
    machine = thisMachine,
  }: Examination & { readonly error?: unknown; readonly reason?: string },
): Promise<{ findings: Finding[]; checks: number }> {
  const { offline } = await loadChecks(modules)
  const context: OfflineContext = { ...deps, machine }
  const findings: Finding[] = []
  for (const check of offline) findings.push(...(await runCheck(check, context)))
  const what = {
    en: `The database cannot be opened: ${reason}.`,
    de: `Die Datenbank lässt sich nicht öffnen: ${reason}.`,
  }
  const mend = damageIn(error) ? databasePages.mend : undefined
  findings.push(findingOf(databaseCheck, { what, ...(mend && { mend }) }))
  return { findings, checks: offline.length + 1 }
}
