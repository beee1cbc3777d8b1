const units = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
] as const
const maxDays = 30

/** How long ago, or in how long; a date if that is more than a month. */
export function shortTime(date: Date, now: number, locale: string): string {
  const seconds = Math.round((date.getTime() - now) / 1000)
  const away = Math.abs(seconds)
  if (away > maxDays * 86_400) {
    return new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(date)
  }
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
  const [unit, length] = units.findLast(([, size]) => away >= size) ?? ['second', 60]
  return words.format(Math.trunc(seconds / length), unit)
}
