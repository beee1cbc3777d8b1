import type { Trace } from '../database/pending-deletion.ts'
import { type ErrorText, errorTable } from '../error-table.ts'
import type { Problem } from '../errors.ts'
import { type EventType, namesOfEvent } from '../events/types.ts'
import type { Reason } from '../reasons/types.ts'
import type { ModuleNames } from './module.ts'

/** @throws Error that names both modules for a duplicate */
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
 * Schemes and routes are checked at registration, settings at load, events and reasons below.
 * @throws Error for a duplicate name, a missing module or an invalid error
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

export interface KnownEvent extends EventType {
  readonly category: string
}

/** Returns all types. @throws Error for a duplicate name */
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

/** Returns all reasons. @throws Error for a duplicate code */
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

/** @throws Error if the name is in the error table, or the status is no error */
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

export function errorsOf(modules: readonly ModuleNames[]): Readonly<Record<string, ErrorText>> {
  const own = modules.flatMap(({ errors = [] }) => errors.map((error) => [error.name, error]))
  return { ...errorTable, ...Object.fromEntries(own) }
}

/** The log redacts these headers. */
export function secretFields(modules: readonly ModuleNames[]): string[] {
  const headers = modules.flatMap((module) => module.requestHeaders ?? [])
  return headers.flatMap(({ name, isSecret }) => (isSecret ? [name.toLowerCase()] : []))
}

/** CORS allows these headers. */
export function requestHeadersOf(modules: readonly ModuleNames[]): string[] {
  return modules.flatMap(({ requestHeaders = [] }) => requestHeaders.map(({ name }) => name))
}

/** Tables with rows of a deleted user. */
export function tracesOf(modules: readonly ModuleNames[]): Trace[] {
  return modules.flatMap(({ tables = [] }) =>
    tables.flatMap(({ name: table, key: [key = ''], person }) => {
      if (!person || typeof person.onDelete !== 'string') return []
      const { column, onDelete, inSteps = false } = person
      return [{ table, key, column, onDelete, inSteps }]
    }),
  )
}
