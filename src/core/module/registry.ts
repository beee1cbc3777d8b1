import type { Trace } from '../database/pending-deletion.ts'
import { type ErrorText, errorTable } from '../error-table.ts'
import type { Problem } from '../errors.ts'
import { type EventType, namesOfEvent } from '../events/types.ts'
import type { Reason } from '../reasons/types.ts'
import type { ModuleNames } from './module.ts'

/** Records the module that claims a name. @throws Error with both modules if it was claimed before */
export type Claim = (kind: string, name: string, module: string) => void

export function createClaims(): Claim {
  const owners = new Map<string, string>()
  return (kind, name, module) => {
    const key = `${kind} ${name}`
    const owner = owners.get(key)
    if (owner !== undefined) {
      const places =
        owner === module ? `twice by the module ${module}` : `by the modules ${owner} and ${module}`
      throw new Error(`the ${kind} ${name} is named ${places}`)
    }
    owners.set(key, module)
  }
}

/**
 * Asserts that no name is claimed twice by modules, and that no required module is missing. Schemes
 * and routes are claimed when they are registered, settings when they are loaded, events by
 * `assertDistinctEvents`, and reasons by `assertDistinctReasons`.
 * @throws Error for a name that is claimed twice, a missing module, and an error that is not valid
 */
export function assertDistinct(modules: readonly ModuleNames[]): void {
  const claim = createClaims()
  const names = new Set<string>()
  for (const module of modules) {
    if (names.has(module.name)) throw new Error(`two modules are named ${module.name}`)
    names.add(module.name)
    const claimed = {
      table: module.tables?.map(({ name }) => name),
      error: module.errors?.map((problem) => errorName(problem, module.name)),
      method: module.methods?.map(({ name }) => name),
      'request header': module.requestHeaders?.map(({ name }) => name.toLowerCase()),
      command: module.commands?.flatMap(({ rows }) =>
        rows.flatMap(({ name, formerly }) => (formerly ? [name, formerly] : [name])),
      ),
    }
    for (const [kind, names = []] of Object.entries(claimed)) {
      for (const name of names) claim(kind, name, module.name)
    }
  }
  for (const { name, requires = [] } of modules) {
    const missing = requires.find((required) => !names.has(required))
    if (missing !== undefined) {
      throw new Error(
        `the module ${name} requires the module ${missing}, which src/modules.ts does not list`,
      )
    }
  }
}

/** A type of event, with its category in the API. */
export interface KnownEvent extends EventType {
  readonly category: string
}

/** Asserts that no event name is claimed twice; answers all types. @throws Error otherwise */
export async function assertDistinctEvents(modules: readonly ModuleNames[]): Promise<KnownEvent[]> {
  const claim = createClaims()
  const all = await Promise.all(modules.map(async ({ events }) => [await events?.()].flat()))
  return modules.flatMap(({ name: module, eventCategory: category = module }, index) => {
    const files = all[index] ?? []
    const types = files.flatMap((file) => Object.values(file ?? {}).filter(isEventType))
    for (const { name } of types) {
      for (const each of namesOfEvent(types, name)) claim('event', each, module)
    }
    return types.map((type) => ({ ...type, category }))
  })
}

/** Asserts that no code of a reason is claimed twice; answers all reasons. @throws Error otherwise */
export async function assertDistinctReasons(
  modules: readonly ModuleNames[],
): Promise<ReadonlyMap<string, Reason>> {
  const claim = createClaims()
  const all = await Promise.all(
    modules.map(async ({ reasons }) => [(await reasons?.()) ?? []].flat()),
  )
  return new Map(
    modules.flatMap(({ name }, index) => {
      const reasons = (all[index] ?? []).flatMap((file) => Object.entries(file.reasons))
      for (const [code] of reasons) claim('reason', code, name)
      return reasons
    }),
  )
}

function isEventType(value: unknown): value is EventType {
  return typeof value === 'object' && value !== null && 'name' in value && 'level' in value
}

/** @throws Error if an error of a module has a name of the error table, or no error status */
function errorName({ name, status, error }: Problem, module: string): string {
  if (name in errorTable) {
    throw new Error(`the error ${name} is named by the error table and by the module ${module}`)
  }
  const isError = Number.isInteger(status) && status >= 400 && status <= 599
  if (!isError || error === '') {
    throw new Error(
      `the error ${name} of the module ${module} has no status from 400 to 599, or no text`,
    )
  }
  return name
}

/** The errors of the error table and of the modules, by their names. */
export function errorsOf(modules: readonly ModuleNames[]): Readonly<Record<string, ErrorText>> {
  const own = modules.flatMap(({ errors = [] }) => errors.map((error) => [error.name, error]))
  return { ...errorTable, ...Object.fromEntries(own) }
}

/** Lists the secret request headers of the modules, which the log redacts. */
export function secretFields(modules: readonly ModuleNames[]): string[] {
  const headers = modules.flatMap((module) => module.requestHeaders ?? [])
  return headers.flatMap(({ name, isSecret }) => (isSecret ? [name.toLowerCase()] : []))
}

/** Lists the request headers of the modules, which CORS allows. */
export function requestHeadersOf(modules: readonly ModuleNames[]): string[] {
  return modules.flatMap(({ requestHeaders = [] }) => requestHeaders.map(({ name }) => name))
}

/** Lists the tables from which a deleted user goes. */
export function tracesOf(modules: readonly ModuleNames[]): Trace[] {
  return modules.flatMap(({ tables = [] }) =>
    tables.flatMap(({ name: table, key: [key = ''], person }) => {
      if (!person || typeof person.onDelete !== 'string') return []
      const { column, onDelete, inSteps = false } = person
      return [{ table, key, column, onDelete, inSteps }]
    }),
  )
}
