import type { Words } from './languages.ts'

const format = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

export const dateTimeMessage: Words = {
  en: 'must be a time like 2026-01-15T12:00:00Z',
  de: 'muss eine Zeit wie 2026-01-15T12:00:00Z sein',
}

/** RFC 3339 to epoch milliseconds; undefined if malformed. */
export function parseDateTime(text: string): number | undefined {
  const [, year, month, day] = format.exec(text) ?? []
  const time = Date.parse(text)
  // Date.parse accepts February 30.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number.isNaN(time) || !(Number(day) <= lastDay) ? undefined : time
}
