import type { Origin } from '../../../modules/devices/origin.ts'
import type { Device } from '../../../modules/devices/user-agent.ts'
import type { Texts } from '../languages/en.ts'

const momentMs = 5000
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** `22 November 2026 at 16:32 UTC`. @param at epoch milliseconds */
export function timeInWords({ locale }: Texts, at: number): string {
  return new Intl.DateTimeFormat(locale, {
    ...{ day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ hourCycle: 'h23', timeZone: 'UTC', timeZoneName: 'short' },
  } as const).format(at)
}

export function durationInWords({ locale, units }: Texts, ms: number): string {
  const isShort = ms < 2 * hourMs && (ms + momentMs) % hourMs > momentMs
  const [unit, unitMs] = isShort
    ? ([units.minutes, minuteMs] as const)
    : ms < 2 * dayMs
      ? ([units.hours, hourMs] as const)
      : ([units.days, dayMs] as const)
  // Rounded down, except for the moment between request and mail.
  const count = Math.max(1, Math.floor((ms + momentMs) / unitMs))
  return `${new Intl.NumberFormat(locale).format(count)} ${unit[pluralOf(locale, count)]}`
}

/** Enough for the languages of this catalogue. */
export function pluralOf(locale: string, count: number): 'one' | 'other' {
  return new Intl.PluralRules(locale).select(count) === 'one' ? 'one' : 'other'
}

/** `Firefox on Linux`. */
export function deviceInWords(texts: Texts, device: Device | null): string {
  const { browser = null, system = null } = device ?? {}
  if (system === null) return browser ?? texts.unknownDevice
  return texts.device(browser ?? texts.unknownBrowser, system)
}

export function rowsOf(texts: Texts, { at, address, device }: Origin): [string, string][] {
  const { labels } = texts
  return [
    ...(device ? [[labels.device, deviceInWords(texts, device)] as [string, string]] : []),
    ...(address === null ? [] : [[labels.address, address] as [string, string]]),
    [labels.time, timeInWords(texts, at)],
  ]
}
