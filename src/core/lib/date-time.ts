const format = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** What a refusal of another text says. */
export const dateTimeMessage = 'must be a time like 2026-01-15T12:00:00Z'

/** Parses a date-time of RFC 3339 to epoch milliseconds; undefined for any other text. */
export function parseDateTime(text: string): number | undefined {
  const [, year, month, day] = format.exec(text) ?? []
  const time = Date.parse(text)
  // Date.parse reads the 30th of February as a day in March.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number.isNaN(time) || !(Number(day) <= lastDay) ? undefined : time
}
