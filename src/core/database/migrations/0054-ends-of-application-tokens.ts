import { rowsLogged } from './0042-nodes.ts'
import type { Migration } from './statement.ts'

/**
 * Nodes keep access tokens of applications in memory. A token of a person ends with its grant, its
 * session or its account; one of an application itself ends alone.
 */
export const statements: Migration = [
  {
    postgres: rowsLogged({
      table: 'provider_artifacts',
      change: 'delete',
      subject: "'grant ' || coalesce(grant_id, id)",
      where: "kind in ('Grant', 'ClientCredentials')",
    }),
  },
]
