import { useMemo } from 'preact/hooks'
import { useLanguage } from '../../../context.ts'
import { readerLocale } from '../../reader-locale.ts'

export type Formats = ReturnType<typeof useFormats>

/** How times and counts are written, in the language and the zone of the reader. */
export function useFormats(times: readonly number[]) {
  const locale = readerLocale(useLanguage())
  const seconds = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const isLong = seconds > 2 * 86_400
  return useMemo(() => {
    const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
    const hour = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
    const both = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
    const number = new Intl.NumberFormat(locale)
    const compact = new Intl.NumberFormat(locale, { notation: 'compact' })
    const isMidnight = (at: Date) => at.getHours() === 0 && at.getMinutes() === 0
    return {
      short(at: number) {
        const date = new Date(at * 1000)
        return (isLong || isMidnight(date) ? day : hour).format(date)
      },
      long: (at: number) => both.format(at * 1000),
      number: (value: number) => number.format(value),
      compact: (value: number) => compact.format(value),
    }
  }, [locale, isLong])
}
