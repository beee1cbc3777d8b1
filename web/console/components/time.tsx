import { useLanguage } from '../../context.ts'
import { readerLocale } from '../reader-locale.ts'

/** A time in the zone of the reader, with UTC on hover. `at` is as the API writes it. */
export function Time({ at }: { readonly at: string }) {
  const locale = readerLocale(useLanguage())
  const date = new Date(at)
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  return (
    <time dateTime={at} title={`${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`}>
      {format.format(date)}
    </time>
  )
}
