import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'

/** Algorithm and parameters, which determine the verification cost. */
export interface HashKind {
  readonly name: string
  readonly example: string
}

// Literals: the database uses the index only for its exact expression.
const base64 = sql.lit('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/._-=')
const withoutHash = sql`rtrim(hash, ${base64})`
const parameters = sql`rtrim(rtrim(${withoutHash}, '$'), ${base64})`
/**
 * The hash prefix that determines the verification cost, such as `$2b$12`,
 * `$argon2id$v=19$m=19456,t=2,p=1$`, or `$pbkdf2-sha256$i=1000$43` (with the derived key length).
 */
export const hashKind = sql<string>`(case substr(hash, 1, 2)
    when '$2' then substr(hash, 1, 6)
    when '$p' then ${parameters}
      || cast(length(hash) - length(${withoutHash}) as text)
    else ${parameters} end)`

// Keeps the query fast after imports with many parameters.
const maxKinds = 1000

/** Includes staged accounts. One index lookup per kind, independent of the number of accounts. */
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
  // Not raw SQL, which on SQLite waits for writers.
  return db.selectFrom(stored.as('stored')).selectAll().execute()
}

/** Equals the expression `hashKind`. */
export function hashKindOf(hash: string): string {
  if (hash.startsWith('$2')) return hash.slice(0, 6)
  const withoutHash = hash.replace(/[A-Za-z0-9+/._=-]+$/, '')
  const parameters = withoutHash.replace(/\$+$/, '').replace(/[A-Za-z0-9+/._=-]+$/, '')
  return hash.startsWith('$p') ? `${parameters}${hash.length - withoutHash.length}` : parameters
}

export function costliestKinds(kinds: readonly HashKind[]): HashKind[] {
  const costliest = new Map<string, { kind: HashKind; work: number }>()
  for (const kind of kinds) {
    const { algorithm, work } = workOf(kind.name)
    if (work > (costliest.get(algorithm)?.work ?? 0)) costliest.set(algorithm, { kind, work })
  }
  return [...costliest.values()].map(({ kind }) => kind)
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
  [
    /^\$(wrapped\$scrypt[a-z-]*),ln=(\d+),r=(\d+),p=(\d+),b=\d+\$v=19\$m=(\d+),t=(\d+),p=\d+\$$/,
    (ln = 0, r = 0, p = 0, memory = 0, passes = 0) => 2 ** ln * r * p + memory * passes,
  ],
  [
    /^\$(wrapped\$[a-z0-9-]+)(?:,i=\d+)?,b=\d+\$v=19\$m=(\d+),t=(\d+),p=\d+\$$/,
    (memory = 0, passes = 0) => memory * passes,
  ],
]

/** Comparable within an algorithm; 0 if unknown. */
function workOf(name: string): { algorithm: string; work: number } {
  for (const [format, workFor] of formats) {
    const match = format.exec(name)
    if (match) return { algorithm: match[1] ?? '', work: workFor(...match.slice(2).map(Number)) }
  }
  return { algorithm: '', work: 0 }
}
