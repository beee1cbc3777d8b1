import type { Measurements } from '../../core/measurements/measurements.ts'
import { aborted } from '../../core/measurements/requests.ts'
import { seriesKey } from './catalog.ts'

export type CountedMeasurements = Pick<
  Measurements,
  'mails' | 'requests' | 'series' | 'tokens' | 'webhooks'
>

/** What this process has counted since its start, by the text of the series. */
export function countedSoFar(measurements: CountedMeasurements): ReadonlyMap<string, number> {
  const { mails, requests, series, tokens, webhooks } = measurements
  const totals = new Map<string, number>()
  const add = (values: readonly string[], count: number) => {
    const key = seriesKey(values)
    totals.set(key, (totals.get(key) ?? 0) + count)
  }
  for (const { values, count } of series.entries()) add(values, count)
  for (const { values, count } of tokens.issued.entries()) add(['tokens_issued', ...values], count)
  for (const { values, count } of mails.entries()) add(['mails', ...values], count)
  for (const { values, count } of webhooks.entries()) add(['webhooks', ...values], count)
  for (const [index, count] of requestsByClass(requests).entries()) {
    if (count > 0) add(['requests', index === 0 ? aborted : `${index}xx`], count)
  }
  return totals
}

/** By the first digit of the status; at 0, those that were aborted. */
function requestsByClass(requests: CountedMeasurements['requests']): readonly number[] {
  const classes = [0, 0, 0, 0, 0, 0]
  const add = (status: number | typeof aborted, count: number) => {
    const index = status === aborted ? 0 : Math.floor(status / 100)
    classes[index] = (classes[index] ?? 0) + count
  }
  for (const { values, count } of requests.unrouted.entries()) add(Number(values[0]), count)
  for (const [route, , { statuses }] of requests.entries()) {
    if (route.startsWith('/health/')) continue // probes would hide the rest
    for (const [status, { count }] of statuses) add(status, count)
  }
  return classes
}
