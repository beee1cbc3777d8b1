import { caseFold, codePointLength } from '../kernel/text.ts'
import type { Part } from './store.ts'
import type { User } from './user.ts'

/** Users whose name or e-mail holds a text, in any case. */
export interface Search extends Part {
  /** Not empty. Under three characters: what name or e-mail begins with. */
  readonly text: string
}

export interface Found {
  readonly users: User[]
  /** How many there are in all; one more than `maxExactTotal` stands for any number above it. */
  readonly total: number
}

/** @throws ApiError serviceUnavailable where more search than the service can serve */
export type FindUsers = (search: Search) => Promise<Found>

export const maxExactTotal = 1000

/** What a text is compared by. */
export interface Pattern {
  readonly folded: string
  /** Whether it counts at the beginning of name and e-mail alone. */
  readonly isBeginning: boolean
}

const minPartLength = 3

export function patternOf(text: string): Pattern {
  return { folded: caseFold(text), isBeginning: codePointLength(text) < minPartLength }
}
