import { isLoopback } from '../addresses/loopback.ts'
import type { Answer } from './probe.ts'

export const statusPath = '/api/public/status'

/** Returns 404 for every method, without reading a body. */
export const noRoute = '/api/public/doctor'

export function isStatus({ status, json }: Answer): boolean {
  return (
    status === 200 &&
    typeof json === 'object' &&
    json !== null &&
    'service' in json &&
    json.service === 'gatehouse'
  )
}

export function isRemote(origin: string): boolean {
  return !isLoopback(new URL(origin).hostname)
}

/** Sent by the service, not by a proxy. */
export function isOurs(answer: Answer): boolean {
  const { json } = answer
  const hasError = typeof json === 'object' && json !== null && 'error' in json
  return answer.header('x-request-id') !== '' && hasError
}

export function shownValues(values: readonly string[]): string {
  return values.length === 0 ? 'absent' : values.map((value) => value.slice(0, 120)).join(' | ')
}
