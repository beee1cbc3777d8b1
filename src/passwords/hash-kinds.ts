import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../database/database.ts'

/** A kind of password hash: algorithm and parameters, which decide what a verification costs. */
export interface HashKind {
  readonly name: string
  /** A stored hash of this kind. */
  readonly example: string
}

// As literals, no parameters: the index is used for the very expression that it was made of.
const base64 = sql.lit('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/._-=')
const withoutHash = sql`rtrim(hash, ${base64})`
const parameters = sql`rtrim(rtrim(${withoutHash}, '$'), ${base64})`
/**
 * What of a stored hash decides the cost of verifying it: `$2b$12`,
 * `$argon2id$v=19$m=19456,t=2,p=1$`, or `$pbkdf2-sha256$i=1000$43`, with the length of the derived
 * part.
 */
export const hashKind = sql<string>`(case substr(hash, 1, 2)
    when '$2' then substr(hash, 1, 6)
    when '$p' then ${parameters}
      || cast(length(hash) - length(${withoutHash}) as text)
    else ${parameters} end)`

// An import may bring hashes of many parameters, and the look at them must stay short.
const maxKinds = 1000

/**
 * The kinds of hash that are stored, those of an import under way among them: one look into an
 * index for each kind, at any number of accounts.
 */
export async function storedHashKinds(db: DatabaseOrTransaction): Promise<HashKind[]> {
  const stored = sql<HashKind>`(
    with recursive kinds (name) as (
      select * from (
        select ${hashKind} from passwords where hash is not null order by ${hashKind} limit 1) as least
      union all
      select (select ${hashKind} from passwords
            where hash is not null and ${hashKind} > kinds.name order by ${hashKind} limit 1)
        from kinds where kinds.name is not null
    )
    select name, (select hash from passwords
        where hash is not null and ${hashKind} = kinds.name limit 1) as example
      from kinds where name is not null limit ${sql.lit(maxKinds)})`
  // As a select of Kysely's: on SQLite a text of our own would wait for the writers.
  return db.selectFrom(stored.as('stored')).selectAll().execute()
}

/** As the database names it: see `hashKind`. */
export function hashKindOf(hash: string): string {
  if (hash.startsWith('$2')) return hash.slice(0, 6)
  const withoutHash = hash.replace(/[A-Za-z0-9+/._=-]+$/, '')
  const parameters = withoutHash.replace(/\$+$/, '').replace(/[A-Za-z0-9+/._=-]+$/, '')
  return hash.startsWith('$p') ? `${parameters}${hash.length - withoutHash.length}` : parameters
}

/** Of each algorithm the kind that takes the most work: the others take no longer. */
export function dearestKinds(kinds: readonly HashKind[]): HashKind[] {
  const dearest = new Map<string, { kind: HashKind; work: number }>()
  for (const kind of kinds) {
    const { algorithm, work } = workOf(kind.name)
    if (work > (dearest.get(algorithm)?.work ?? 0)) dearest.set(algorithm, { kind, work })
  }
  return [...dearest.values()].map(({ kind }) => kind)
}

const formats: readonly (readonly [RegExp, (...numbers: number[]) => number])[] = [
  [/^\$(2)[aby]\$(\d\d)$/, (cost = 0) => 2 ** cost],
  [
    /^\$(argon2(?:id|i|d))\$v=\d+\$m=(\d+),t=(\d+),p=\d+\$$/,
    (memory = 0, passes = 0) => memory * passes,
  ],
  [
    /^\$(pbkdf2-sha\d+)\$(?:i=)?(\d+)(?:,l=\d+)?\$(\d+)$/,
    (rounds = 0, length = 0) => rounds * length,
  ],
]

/** Comparable within one algorithm. A text that is no hash of a known kind is no work. */
function workOf(name: string): { algorithm: string; work: number } {
  for (const [format, workFor] of formats) {
    const match = format.exec(name)
    if (match) return { algorithm: match[1] ?? '', work: workFor(...match.slice(2).map(Number)) }
  }
  return { algorithm: '', work: 0 }
}
