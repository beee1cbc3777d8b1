import Negotiator from 'negotiator'
import type { Form } from './exposition.ts'

const openMetrics = 'application/openmetrics-text'
// Prometheus sends 250 characters.
const maxLength = 1024

/** Default: Prometheus, which people know. Ignores versions and parameters. */
export function preferredForm(accept: string | undefined): Form {
  if (accept === undefined || accept.length > maxLength) return 'prometheus'
  const [first] = new Negotiator({ headers: { accept } })
    .mediaTypes()
    .filter((type) => type === openMetrics || matchesPlain.has(type))
  return first === openMetrics ? 'openMetrics' : 'prometheus'
}

const matchesPlain: ReadonlySet<string> = new Set(['text/plain', 'text/*', '*/*'])
