import { caseFold, codePointLength } from '../../core/lib/text.ts'
import type { Part } from './lists.ts'
import type { User } from './user.ts'

/** A search for users whose name or e-mail contains a text, in any case. */
export interface Search extends Part {
  /** Not empty. A text of fewer than three characters must be the beginning of name or e-mail. */
  readonly text: string
}

export interface Found {
  readonly users: User[]
  /** The count of all matches; `maxExactTotal` + 1 stands for any larger number. */
  readonly total: number
}

/** Searches users. @throws ApiError serviceUnavailable if too many searches run */
export type FindUsers = (search: Search) => Promise<Found>

export const maxExactTotal = 1000

/** The form in which a text is compared. */
export interface Pattern {
  readonly folded: string
  /** Whether only the beginnings of name and e-mail can match. */
  readonly isBeginning: boolean
}

const minPartLength = 3

export function patternOf(text: string): Pattern {
  return { folded: caseFold(text), isBeginning: codePointLength(text) < minPartLength }
}
