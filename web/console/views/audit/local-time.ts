/** A time of the address as a field shows it, in the zone of the reader: `2026-03-01T01:00:00`. */
export function localTime(iso: string | undefined): string {
  const date = new Date(iso ?? '')
  if (Number.isNaN(date.getTime())) return ''
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 19)
}

/** What was typed, in UTC; the time of the address stays as it is while the field shows it. */
export function utcTime(typed: string, present = ''): string {
  if (typed === localTime(present)) return present
  const date = new Date(typed)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
