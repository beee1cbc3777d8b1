import { type Buckets, totalOf } from './buckets.ts'

/** A span of whole hours, in seconds since 1970; `to` is not part of it. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** What is compared with what: only hours are kept for longer than two days. */
export interface Days {
  /** Today up to now: from its first whole hour of the API. */
  readonly today: Span
  /** Today up to its last full hour; null before the first one. */
  readonly compared: Span | null
  /** The same day of the last week, up to the same time of day. */
  readonly weekAgo: Span
}

const hour = 3600

/** Days and times of day are of the reader's zone; hours begin where the API's do, at those of UTC. */
export function daysAt(now: Date): Days {
  const midnight = (daysBefore: number) =>
    Math.ceil(secondsOf(dateOf(now, daysBefore, 0, 0)) / hour) * hour
  const from = midnight(0)
  const until = Math.floor(secondsOf(now) / hour) * hour
  const end = new Date(until * 1000)
  return {
    today: { from, to: until + hour },
    compared: until > from ? { from, to: until } : null,
    weekAgo: {
      from: midnight(7),
      to: secondsOf(dateOf(now, 7, end.getHours(), end.getMinutes())),
    },
  }
}

function dateOf(now: Date, daysBefore: number, hours: number, minutes: number): Date {
  const day = now.getDate() - daysBefore
  return new Date(now.getFullYear(), now.getMonth(), day, hours, minutes)
}

function secondsOf(date: Date): number {
  return date.getTime() / 1000
}

/** The buckets of a span alone. */
export function within({ series, times }: Buckets, { from, to }: Span): Buckets {
  const isIn = (_: unknown, place: number) => {
    const time = times[place] ?? 0
    return time >= from && time < to
  }
  return {
    times: times.filter(isIn),
    series: series.map((one) => ({ ...one, values: one.values.filter(isIn) })),
  }
}

/** A count of today, and of the spans that are compared; null: not known, or nothing to divide by. */
export interface Compared {
  readonly today: number | null
  readonly untilHour: number | null
  readonly weekAgo: number | null
}

export interface Today extends Days {
  /** When counting began; null: nothing was counted yet. */
  readonly since: string | null
  /** Whether the day a week ago was counted from its beginning. */
  readonly isWeekKnown: boolean
  of(count: (buckets: Buckets) => number | null): Compared
}

/** @param read the hours from a week ago up to now */
export function todayIn(read: Buckets & Pick<Today, 'since'>, now: Date): Today {
  const days = daysAt(now)
  const { since } = read
  // The first bucket may hold a part of its hour.
  const isWeekKnown = since !== null && Date.parse(since) / 1000 < days.weekAgo.from
  const [today, weekAgo] = [within(read, days.today), within(read, days.weekAgo)]
  const untilHour = days.compared && within(read, days.compared)
  return {
    ...days,
    since,
    isWeekKnown,
    of: (count) => ({
      today: count(today),
      untilHour: untilHour && count(untilHour),
      weekAgo: untilHour && isWeekKnown ? count(weekAgo) : null,
    }),
  }
}

/** Of successful logins, from 0 to 1; null without any. */
export function secondFactorShare(buckets: Buckets): number | null {
  const used = totalOf(buckets, 'second_factor', { used: 'yes' })
  const all = used + totalOf(buckets, 'second_factor', { used: 'no' })
  return all === 0 ? null : used / all
}

/** Logins that ended without a session or a token: refused, throttled, or failed by a fault. */
export function failedLogins(buckets: Buckets): number {
  return ['refused', 'throttled', 'failed'].reduce(
    (sum, result) => sum + totalOf(buckets, 'logins', { result }),
    0,
  )
}
