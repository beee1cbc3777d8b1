import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { useLanguage } from '../../context.ts'
import { readerLocale } from '../reader-locale.ts'
import { shortTime } from './short-time.ts'

/** Within a table times are short, so that a row is one line. */
export const ShortTimes = createContext(false)

/** A time in the zone of the reader, with UTC on hover. `at` is as the API writes it. */
export function Time({ at }: { readonly at: string }) {
  const locale = readerLocale(useLanguage())
  const isShort = useContext(ShortTimes)
  const date = new Date(at)
  const whole = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const utc = `${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`
  return (
    <time dateTime={at} title={isShort ? `${whole.format(date)} (${utc})` : utc}>
      {isShort ? shortTime(date, Date.now(), locale) : whole.format(date)}
    </time>
  )
}
