import type { Module } from '../../core/module/module.ts'
import { loadMonitoring, type SeriesKind } from '../../core/module/monitoring.ts'
import { createClaims } from '../../core/module/registry.ts'

/** All that is kept in buckets. */
export interface Catalog {
  readonly kinds: readonly SeriesKind[]
  /** See `Monitoring`. */
  readonly usual: readonly string[]
  readonly watched: readonly string[]
}

/** The series that statistics count by themselves. */
const ownKinds: readonly SeriesKind[] = [
  {
    name: 'refusals',
    labels: ['guard'],
    description: 'Refused requests by what has refused: the guards of docs/explain.md',
    counted: () => [], // by the collector, which looks the guards up
  },
  {
    name: 'lost_counts',
    labels: [],
    description:
      'What could not be stored while the database was away, at the beginning of its hour: the other series lack so much',
    counted: () => [],
  },
]

/**
 * Loads the series of the modules.
 * @throws Error if two series have one name
 */
export async function loadCatalog(modules: readonly Module[]): Promise<Catalog> {
  const monitoring = await loadMonitoring(modules)
  const kinds = [...monitoring.flatMap(({ series }) => series ?? []), ...ownKinds]
  const claim = createClaims()
  for (const { name } of kinds) claim('series', name, 'statistics')
  return {
    kinds,
    usual: monitoring.flatMap(({ usualSeries }) => usualSeries ?? []),
    watched: monitoring.flatMap(({ watchedSeries }) => watchedSeries ?? []),
  }
}

const separator = '|'

/** The text under which a series is stored. */
export function seriesKey(values: readonly string[]): string {
  return values.join(separator)
}

/** A series by its stored text; null if this version has none of that name. */
export function readSeriesKey(
  { kinds }: Pick<Catalog, 'kinds'>,
  key: string,
): { readonly name: string; readonly labels: Record<string, string> } | null {
  const [name = '', ...values] = key.split(separator)
  const kind = kinds.find((known) => known.name === name)
  if (!kind) return null
  const labels = kind.labels.map((label, index): [string, string] => [label, values[index] ?? ''])
  return { name, labels: Object.fromEntries(labels) }
}
