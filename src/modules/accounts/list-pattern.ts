import { type RawBuilder, sql } from 'kysely'
import { caseFold, codePointLength } from '../../core/lib/text.ts'

/**
 * The form in which a searched text is compared with a kind of column. Fewer than three characters
 * are compared with the beginning of the column alone: they are a part of nearly every text.
 */
export interface Pattern {
  readonly text: string
  readonly isBeginning: boolean
}

/** A searched text: usernames have another canonical form than names and addresses. */
export interface AccountPattern {
  readonly username: Pattern
  readonly other: Pattern
}

const minPartLength = 3
// Greater than all texts that begin with the text before it, in the order of bytes.
const last = '\u{10ffff}'

export function accountPattern(search: string): AccountPattern {
  return {
    username: patternOf(caseFold(search.normalize('NFKD')).normalize('NFKC')),
    other: patternOf(caseFold(search)),
  }
}

function patternOf(text: string): Pattern {
  return { text, isBeginning: codePointLength(text) < minPartLength }
}

/** The range of a column's values that begin with a text, which an index of the column answers. */
export function beginsWith(column: string, text: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} >= ${text} and ${sql.ref(column)} < ${text + last})`
}

/** Whether a column holds the text; LIKE is what the trigrams of PostgreSQL answer. */
export function matches(
  column: string,
  { text, isBeginning }: Pattern,
  database: 'sqlite' | 'postgres',
): RawBuilder<boolean> {
  if (isBeginning) return beginsWith(column, text)
  if (database === 'sqlite') return sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`
  return sql<boolean>`${sql.ref(column)} like ${`%${text.replace(/[\\%_]/g, '\\$&')}%`}`
}
