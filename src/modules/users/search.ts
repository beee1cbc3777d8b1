import { caseFold, codePointLength } from '../../core/lib/text.ts'
import type { Part } from './lists.ts'
import type { User } from './user.ts'

/** Case-insensitive substring of name or email. */
export interface Search extends Part {
  /** Not empty. Below three characters: prefix only. */
  readonly text: string
}

export interface Found {
  readonly users: User[]
  /** `maxExactTotal` + 1: more. */
  readonly total: number
}

/** @throws ApiError serviceUnavailable if too many searches run */
export type FindUsers = (search: Search) => Promise<Found>

export const maxExactTotal = 1000

export interface Pattern {
  readonly folded: string
  /** Prefix match only. */
  readonly isBeginning: boolean
}

const minPartLength = 3

export function patternOf(text: string): Pattern {
  return { folded: caseFold(text), isBeginning: codePointLength(text) < minPartLength }
}
