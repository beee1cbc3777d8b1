import type { Family } from '../../core/measurements/family.ts'

export type Form = 'prometheus' | 'openMetrics'

/** https://prometheus.io/docs/instrumenting/content_negotiation/ */
export const metricsTypes = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openMetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const satisfies Record<Form, string>

/**
 * Merges all processes: same name and labels are one series. Loads the library on first use.
 * docs/adr/0054
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

/** OpenMetrics counters have no `_total`; the library adds the suffix to the series. */
function nameIn(form: Form, { name, type }: Family): string {
  return form === 'openMetrics' && type === 'counter' ? name.replace(/_total$/, '') : name
}

/** Drops NaN, such as the mean of no observations. */
function finite({ values }: Family): Family['values'] {
  return values.filter(({ value }) => Number.isFinite(value))
}
