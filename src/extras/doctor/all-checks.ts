import type { Check } from '../../core/checks/check.ts'
import type { InsideContext, OfflineContext, OutsideContext } from '../../core/checks/context.ts'
import type { ModuleChecks } from '../../core/checks/module-checks.ts'
import type { Module } from '../../core/module/module.ts'
import { createClaims } from '../../core/module/registry.ts'
import { answerChecks } from './checks/answers.ts'
import { bodyLimitChecks } from './checks/body-limit.ts'
import { crossOriginChecks } from './checks/cross-origin.ts'
import { databaseChecks, openingChecks } from './checks/database.ts'
import { exposureChecks } from './checks/exposure.ts'
import { fileChecks, operatorFiles } from './checks/files.ts'
import { machineChecks } from './checks/machine.ts'
import { passingChecks } from './checks/passing.ts'
import { proxySettingChecks } from './checks/proxy-settings.ts'
import { arrivalChecks, reachable } from './checks/reachable.ts'
import { schemaObjects } from './checks/schema-objects.ts'
import { settingChecks, settingWarning } from './checks/settings.ts'
import { tlsChecks } from './checks/tls.ts'
import { settingsRefused } from './offline-checks.ts'

/** A row of docs/doctor.md. */
export type CheckRow = Omit<Check<never>, 'find'>

/** All checks of this program, in the order in which they run. */
export interface AllChecks {
  readonly offline: readonly Check<OfflineContext>[]
  readonly opening: readonly Check<InsideContext>[]
  readonly inside: readonly Check<InsideContext>[]
  /** What is asked of any host at the address. */
  readonly arrival: readonly Check<OutsideContext>[]
  /** What is asked of Gatehouse alone. */
  readonly outside: readonly Check<OutsideContext>[]
  readonly isOwnService: (context: OutsideContext) => Promise<boolean>
}

/**
 * Loads the checks of the modules, and adds those of the core.
 * @throws Error if two checks have one id
 */
export async function loadChecks(modules: readonly Module[]): Promise<AllChecks> {
  const files = await Promise.all(modules.map(({ checks }) => checks?.()))
  const loaded = files.flatMap((file) => file?.checks ?? [])
  const all = <Context>(of: (own: ModuleChecks) => readonly Check<Context>[] | undefined) =>
    loaded.flatMap((own) => of(own) ?? [])
  const offline = [
    ...settingChecks,
    ...proxySettingChecks,
    ...fileChecks,
    operatorFiles(loaded.flatMap((own) => own.operatorFiles ?? [])),
    ...machineChecks,
    ...all(({ offline }) => offline),
  ]
  const covered = new Set(offline.flatMap(({ covers }) => covers ?? []))
  const checks: AllChecks = {
    offline: [...offline, settingWarning(covered)],
    opening: [...openingChecks, ...all(({ opening }) => opening)],
    inside: [...databaseChecks, schemaObjects, ...all(({ inside }) => inside)],
    arrival: [reachable, ...tlsChecks, ...arrivalChecks],
    outside: [
      // First: a proxy may keep the answers to the requests of the checks below.
      ...all(({ outside }) => outside),
      ...answerChecks,
      ...crossOriginChecks,
      ...exposureChecks,
      ...passingChecks,
      ...bodyLimitChecks,
    ],
    async isOwnService(context) {
      if (context.inside?.config.baseUrl === context.origin) return true
      for (const { isOwnService } of loaded) if (await isOwnService?.(context)) return true
      return false
    },
  }
  const claim = createClaims()
  for (const { id } of Object.values(rowsByPlace(checks)).flat()) claim('check', id, 'doctor')
  return checks
}

/** The checks by where they look, for the documents and for --except. */
export function rowsByPlace(
  checks: AllChecks,
): Readonly<Record<'inside' | 'outside', readonly CheckRow[]>> {
  const { arrival, inside, offline, opening, outside } = checks
  return {
    inside: [settingsRefused, ...offline, ...opening, ...inside],
    outside: [...arrival, ...outside],
  }
}
