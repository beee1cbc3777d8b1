import type { Counted } from '../../core/measurements/counters.ts'
import { aborted, type RequestMeasurements } from '../../core/measurements/requests.ts'

/** Requests by the first digit of the status of their answer, or as aborted. */
export function requestsByClass(requests: RequestMeasurements): readonly Counted[] {
  const classes = [0, 0, 0, 0, 0, 0] // at 0, those that were aborted
  const add = (status: number | typeof aborted, count: number) => {
    const index = status === aborted ? 0 : Math.floor(status / 100)
    classes[index] = (classes[index] ?? 0) + count
  }
  for (const { values, count } of requests.unrouted.entries()) add(Number(values[0]), count)
  for (const [route, , { statuses }] of requests.entries()) {
    if (route.startsWith('/health/')) continue // probes would hide the rest
    for (const [status, { count }] of statuses) add(status, count)
  }
  return classes.map((count, index) => ({ values: [index === 0 ? aborted : `${index}xx`], count }))
}
