import { type Area, groups } from './area.ts'

/** In the order of the navigation. */
const areas: readonly Area[] = Object.values(
  import.meta.glob<Area>('./views/*/area.ts', { eager: true, import: 'area' }),
).toSorted(
  (one, other) =>
    groups.indexOf(one.group) - groups.indexOf(other.group) || one.order - other.order,
)

/** The areas of a person with these roles. */
export function areasFor(roles: readonly string[]): readonly Area[] {
  return areas.filter((area) => area.roles.some((role) => roles.includes(role)))
}

/** The same in the groups of the navigation; none is empty. */
export function groupsFor(
  roles: readonly string[],
): readonly (readonly [Area['group'], readonly Area[]])[] {
  return [...Map.groupBy(areasFor(roles), ({ group }) => group)]
}

/** The path of the overview, where the console begins. */
export const rootPath = '/admin'

/** Whether an address, which may have a query, shows something: each view can be removed. */
export function hasArea(address: string): boolean {
  return areaAt(address.replace(/\?.*/, '')) !== undefined
}

/** The area that an address belongs to: the one with the longest path above it. */
export function areaAt(path: string): Area | undefined {
  return areas
    .filter(
      (area) => path === area.path || (area.path !== rootPath && path.startsWith(`${area.path}/`)),
    )
    .toSorted((one, other) => other.path.length - one.path.length)[0]
}
