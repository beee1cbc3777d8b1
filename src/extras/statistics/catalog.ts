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

/**
 * Loads the series of the modules.
 * @throws Error if two series have one name
 */
export async function loadCatalog(modules: readonly Module[]): Promise<Catalog> {
  const monitoring = await loadMonitoring(modules)
  const claim = createClaims()
  return {
    kinds: monitoring.flatMap(({ module, series = [] }) => {
      for (const { name } of series) claim('series', name, module)
      return series
    }),
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
