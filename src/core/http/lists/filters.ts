import { refuseField } from '../../errors.ts'
import { dateTimeMessage, parseDateTime } from '../../lib/date-time.ts'
import { codePointLength, isStorableText, unstorable } from '../../lib/text.ts'
import { type Query, single } from './paging.ts'

/** @throws ApiError validationFailed with the field name */
export type FilterKind<Value> = (text: string, field: string) => Value

type Kinds = Readonly<Record<string, FilterKind<unknown>>>

export type Filters<Of extends Kinds> = {
  readonly [Name in keyof Of]?: ReturnType<Of[Name]> | undefined
}

/**
 * Each filter at most once, in order of declaration.
 * @throws ApiError validationFailed
 */
export function parseFilters<Of extends Kinds>(query: Query, kinds: Of): Filters<Of> {
  const values = Object.entries(kinds).map(([name, parse]) => {
    const text = single(query, name)
    return [name, text === undefined ? undefined : parse(text, name)]
  })
  return Object.fromEntries(values) as Filters<Of> // entries of `kinds`
}

export function flag(text: string, field: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return refuseField([field], { en: 'must be true or false', de: 'muss true oder false sein' })
}

/** Epoch milliseconds. */
export function time(text: string, field: string): number {
  return parseDateTime(text) ?? refuseField([field], dateTimeMessage)
}

export function among<Name extends string>(names: readonly Name[]): FilterKind<Name> {
  return (text, field) =>
    names.find((name) => name === text) ??
    refuseField([field], {
      en: `must be one of ${names.join(', ')}`,
      de: `muss eines von diesen sein: ${names.join(', ')}`,
    })
}

/** At most `maxLength` code points. */
export function searched(maxLength: number): FilterKind<string> {
  return (text, field) => {
    if (codePointLength(text) > maxLength) {
      return refuseField([field], {
        en: `must have at most ${maxLength} characters`,
        de: `darf höchstens ${maxLength} Zeichen haben`,
      })
    }
    return storable(text, field)
  }
}

/** A text that the database accepts. */
export function storable(text: string, field: string): string {
  if (isStorableText(text)) return text
  return refuseField([field], unstorable)
}
