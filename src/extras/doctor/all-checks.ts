import type { Check } from '../../core/checks/check.ts'
import type {
  InsideContext,
  ModuleChecks,
  OfflineContext,
  OutsideContext,
} from '../../core/checks/context.ts'
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

export type CheckRow = Omit<Check<never>, 'find'>

/** In the order of execution. */
export interface AllChecks {
  readonly offline: readonly Check<OfflineContext>[]
  readonly opening: readonly Check<InsideContext>[]
  readonly inside: readonly Check<InsideContext>[]
  /** For any host at the address. */
  readonly arrival: readonly Check<OutsideContext>[]
  /** Only for Gatehouse. */
  readonly outside: readonly Check<OutsideContext>[]
  readonly isOwnService: (context: OutsideContext) => Promise<boolean>
}

const checksOfCore = (modules: readonly Module[]): ModuleChecks => ({
  offline: [...settingChecks, ...proxySettingChecks, ...fileChecks, ...machineChecks],
  opening: openingChecks(modules),
  inside: [...databaseChecks, schemaObjects(modules)],
  outside: [
    ...answerChecks,
    ...crossOriginChecks,
    ...exposureChecks,
    ...passingChecks,
    ...bodyLimitChecks,
  ],
})
const arrival = [reachable, ...tlsChecks, ...arrivalChecks]

/** @throws Error if two checks have one id */
export async function loadChecks(modules: readonly Module[]): Promise<AllChecks> {
  const own = checksOfCore(modules)
  const loaded = await Promise.all(
    modules.map(async ({ name, checks }) => ({ ...(await checks?.())?.checks, module: name })),
  )
  const offline = [
    ...(own.offline ?? []),
    operatorFiles(loaded.flatMap((one) => one.operatorFiles ?? [])),
    ...loaded.flatMap((one) => one.offline ?? []),
  ]
  const covered = new Set(offline.flatMap(({ covers }) => covers ?? []))
  const all = [{ ...own, module: 'doctor' }, ...loaded]
  assertDistinctChecks([...all, { outside: arrival, module: 'doctor' }])
  return {
    offline: [...offline, settingWarning(covered)],
    opening: all.flatMap(({ opening = [] }) => opening),
    inside: all.flatMap(({ inside = [] }) => inside),
    arrival,
    // The core's checks run last: a proxy may cache their responses.
    outside: all.toReversed().flatMap(({ outside = [] }) => outside),
    async isOwnService(context) {
      if (context.inside?.config.baseUrl === context.origin) return true
      for (const { isOwnService } of loaded) if (await isOwnService?.(context)) return true
      return false
    },
  }
}

function assertDistinctChecks(all: readonly (ModuleChecks & { readonly module: string })[]): void {
  const claim = createClaims()
  for (const { module, offline = [], opening = [], inside = [], outside = [] } of all) {
    for (const { id } of [offline, opening, inside, outside].flat()) claim('check', id, module)
  }
}

export function rowsByPlace(
  checks: AllChecks,
): Readonly<Record<'inside' | 'outside', readonly CheckRow[]>> {
  const { arrival, inside, offline, opening, outside } = checks
  return {
    inside: [settingsRefused, ...offline, ...opening, ...inside],
    outside: [...arrival, ...outside],
  }
}
