import type { Family } from '../../core/measurements/family.ts'

/** The two text forms of metrics, by what a scraper may prefer. */
export type Form = 'prometheus' | 'openMetrics'

/** https://prometheus.io/docs/instrumenting/content_negotiation/ */
export const metricsTypes = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openMetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const satisfies Record<Form, string>

/**
 * Writes the metrics of all processes as one text: those of the same name and labels are one series.
 * The library is loaded by the first call, because a start does not need it. docs/adr/0054
 */
export async function exposition(
  processes: readonly (readonly Family[])[],
  form: Form,
): Promise<string> {
  const {
    default: { Registry },
  } = await import('@prometheus-io/client')
  const named = processes.map((families) =>
    families.map((family) => ({ ...family, name: nameIn(form, family), values: finite(family) })),
  )
  const registry = Registry.aggregate(named)
  registry.setContentType(metricsTypes[form])
  return registry.metrics()
}

/** In OpenMetrics the name of a counter is without `_total`, which its series have. The library adds it. */
function nameIn(form: Form, { name, type }: Family): string {
  return form === 'openMetrics' && type === 'counter' ? name.replace(/_total$/, '') : name
}

/** Without values that are no numbers yet, such as the mean of no observation. */
function finite({ values }: Family): Family['values'] {
  return values.filter(({ value }) => Number.isFinite(value))
}
