import { AccountFault } from './account-fault.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Undefined for anything else. */
export function objectOf(value: unknown): Fields | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Fields) : undefined
}

/** Own fields alone. */
export function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    const fields = objectOf(found)
    if (!fields || !Object.hasOwn(fields, name)) return undefined
    found = fields[name]
  }
  return found
}

/** A text that is not empty; undefined if absent. @throws AccountFault for another type */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = fieldOf(value, ...path)
  if (found === undefined || found === null || found === '') return undefined
  if (typeof found === 'string') return found
  throw new AccountFault(path.join('.'), 'must be a text')
}

/** A whole number as a text, or a text. */
export function idAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = fieldOf(value, ...path)
  return Number.isSafeInteger(found) ? String(found) : textAt(value, ...path)
}

/** As databases write flags, too: 1, "t", "true". @throws AccountFault for another value */
export function flagAt(value: unknown, ...path: readonly string[]): boolean | undefined {
  const found = fieldOf(value, ...path)
  if (found === undefined || found === null || found === '') return undefined
  if (found === true || found === 1 || found === 't' || found === 'true') return true
  if (found === false || found === 0 || found === 'f' || found === 'false') return false
  throw new AccountFault(path.join('.'), 'must be true or false')
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = fieldOf(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Texts of a list, or of one text with commas. */
export function namesAt(value: unknown, ...path: readonly string[]): string[] {
  const found = fieldOf(value, ...path)
  const names = typeof found === 'string' ? found.split(',').map((name) => name.trim()) : found
  if (!Array.isArray(names)) return []
  return names.filter((name) => typeof name === 'string' && name !== '')
}

/** A JSON object inside a text. @throws AccountFault */
export function nestedAt(value: unknown, ...path: readonly string[]): Fields | undefined {
  const found = fieldOf(value, ...path)
  if (typeof found !== 'string') return objectOf(found)
  if (found === '') return undefined
  try {
    return objectOf(JSON.parse(found))
  } catch {
    throw new AccountFault(path.join('.'), 'is no JSON')
  }
}

const maxTime = 8.64e15

/** Epoch milliseconds, as a number or a text. */
export function timeOf(value: unknown): string | undefined {
  const time = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  if (typeof time !== 'number' || !Number.isInteger(time) || Math.abs(time) > maxTime) {
    return undefined
  }
  return time <= 0 ? undefined : new Date(time).toISOString()
}

const databaseTime =
  /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*(Z|[+-]\d\d(?::?\d\d)?)?$/

/** As databases write times; without a zone in UTC. */
export function databaseTimeOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return timeOf(value)
  const [, day, time, zone = 'Z'] = databaseTime.exec(value) ?? []
  const hours = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${hours}`)
  return timeOf(at)
}

/** "Ann Lee" of the parts that are there. */
export function joinedName(...parts: readonly (string | undefined)[]): string | undefined {
  const name = parts.filter((part) => part !== undefined).join(' ')
  return name === '' ? undefined : name
}
