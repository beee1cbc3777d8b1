import { isLoopback } from '../addresses/loopback.ts'
import type { Answer } from './probe.ts'

/** The path that anyone may read, and that names the service. */
export const statusPath = '/api/public/status'

/** The service answers 404 here for any method, and reads no body. */
export const noRoute = '/api/public/doctor'

/** Whether this service has answered the request for the status. */
export function isStatus({ status, json }: Answer): boolean {
  return (
    status === 200 &&
    typeof json === 'object' &&
    json !== null &&
    'service' in json &&
    json.service === 'gatehouse'
  )
}

/** Whether callers of other machines use an origin. */
export function isRemote(origin: string): boolean {
  return !isLoopback(new URL(origin).hostname)
}

/** Whether an answer comes from the service and not from what is in front of it. */
export function isOurs(answer: Answer): boolean {
  const { json } = answer
  const hasError = typeof json === 'object' && json !== null && 'error' in json
  return answer.header('x-request-id') !== '' && hasError
}

/** A finding of a header that several lines or none have. */
export function shownValues(values: readonly string[]): string {
  return values.length === 0 ? 'absent' : values.map((value) => value.slice(0, 120)).join(' | ')
}
