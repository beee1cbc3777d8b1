import { parseRole, type Role } from '../../../core/policy/principal.ts'
import { objectOf } from './values.ts'

/** Their names of roles and groups to ours. A name that the file does not have gives no role. */
export interface RoleMap {
  map(names: readonly string[]): Role[]
  /** Names without a place in the file, with the number of their accounts; the first 1000. */
  unknown(): ReadonlyMap<string, number>
}

const maxUnknown = 1000
const maxNameLength = 100

/**
 * The file is `{"their name": "OURS", "another": ["OURS", "OTHER"], "of no use": null}`. Returns
 * the mistakes of the file in place of a map.
 */
export function readRoleMap(text: string, known: readonly Role[]): RoleMap | readonly string[] {
  const file = objectOf(parsed(text))
  if (!file) return ['is no JSON object of their names and ours']
  const ours = new Map<string, readonly Role[]>()
  const mistakes: string[] = []
  for (const [theirs, given] of Object.entries(file)) {
    const names = given === null ? [] : Array.isArray(given) ? given : [given]
    const roles = names.map((name) => parseRole(name, known))
    const isKnown = (role: Role | null) => role !== null
    if (roles.every(isKnown)) ours.set(theirs, roles)
    else mistakes.push(`${shown(theirs)}: must be ${known.join(', ')}, a list of them, or null`)
  }
  return mistakes.length > 0 ? mistakes : roleMap(ours)
}

export function roleMap(ours: ReadonlyMap<string, readonly Role[]> = new Map()): RoleMap {
  const unknown = new Map<string, number>()
  return {
    unknown: () => unknown,
    map(names) {
      const found = new Set<Role>()
      for (const name of new Set(names)) {
        const roles = ours.get(name)
        for (const role of roles ?? []) found.add(role)
        if (!roles) count(shown(name))
      }
      return [...found]
    },
  }

  function count(name: string): void {
    const before = unknown.get(name)
    if (before === undefined && unknown.size >= maxUnknown) return
    unknown.set(name, (before ?? 0) + 1)
  }
}

/** For a terminal. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, maxNameLength).toWellFormed()).slice(1, -1)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
