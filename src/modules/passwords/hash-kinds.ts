import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'

/**
 * A kind of password hash: its algorithm and parameters. They decide the cost of a verification.
 */
export interface HashKind {
  readonly name: string
  /** A stored hash of this kind. */
  readonly example: string
}

// Literals, no parameters: the database uses the index for exactly the expression of its
// definition.
const base64 = sql.lit('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/._-=')
const withoutHash = sql`rtrim(hash, ${base64})`
const parameters = sql`rtrim(rtrim(${withoutHash}, '$'), ${base64})`
/**
 * The SQL expression for the kind of a stored hash: the part that decides the cost of a
 * verification. For example `$2b$12`, `$argon2id$v=19$m=19456,t=2,p=1$`, or
 * `$pbkdf2-sha256$i=1000$43`, which ends with the length of the derived key.
 */
export const hashKind = sql<string>`(case substr(hash, 1, 2)
    when '$2' then substr(hash, 1, 6)
    when '$p' then ${parameters}
      || cast(length(hash) - length(${withoutHash}) as text)
    else ${parameters} end)`

// An import may bring hashes with many parameters, and this query must stay quick.
const maxKinds = 1000

/**
 * Reads the kinds of the stored hashes, at most 1000, including those of staged accounts. It costs
 * one look-up in an index for each kind, at any number of accounts.
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
  // A select of Kysely, not raw SQL: on SQLite raw SQL would wait for the writers.
  return db.selectFrom(stored.as('stored')).selectAll().execute()
}

/** The kind of a hash, as the expression `hashKind` answers it. */
export function hashKindOf(hash: string): string {
  if (hash.startsWith('$2')) return hash.slice(0, 6)
  const withoutHash = hash.replace(/[A-Za-z0-9+/._=-]+$/, '')
  const parameters = withoutHash.replace(/\$+$/, '').replace(/[A-Za-z0-9+/._=-]+$/, '')
  return hash.startsWith('$p') ? `${parameters}${hash.length - withoutHash.length}` : parameters
}

/** The most costly kind of each algorithm. */
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
]

/** The work of a kind, comparable within one algorithm; 0 for a text that is no known kind. */
function workOf(name: string): { algorithm: string; work: number } {
  for (const [format, workFor] of formats) {
    const match = format.exec(name)
    if (match) return { algorithm: match[1] ?? '', work: workFor(...match.slice(2).map(Number)) }
  }
  return { algorithm: '', work: 0 }
}
