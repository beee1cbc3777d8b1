/** Servers with PostgreSQL's protocol that would silently break guarantees. */
const refused: readonly { readonly name: string; readonly sign: RegExp; readonly why: string }[] = [
  {
    // https://www.cockroachlabs.com/docs/stable/postgresql-compatibility
    name: 'CockroachDB',
    sign: /\bCockroachDB\b/i,
    why: 'some of its advisory locks lock nothing, and it has no LISTEN',
  },
  {
    // https://docs.yugabyte.com/stable/explore/transactions/isolation-levels/
    name: 'YugabyteDB',
    sign: /-YB-/,
    why: 'its READ COMMITTED may be another isolation, on which a lock protects nothing that is read',
  },
  {
    // https://docs.aws.amazon.com/redshift/latest/dg/t_Defining_constraints.html
    name: 'Amazon Redshift',
    sign: /\bRedshift\b/i,
    why: 'its unique constraints are not enforced',
  },
]

/** Takes a `version()`; undefined if the server is usable. */
export function refusalOf(banner: string): string | undefined {
  const server = refused.find(({ sign }) => sign.test(banner))
  if (!server) return undefined
  return `DATABASE_URL leads to ${server.name}, which cannot be used: ${server.why}. PostgreSQL itself is needed`
}
