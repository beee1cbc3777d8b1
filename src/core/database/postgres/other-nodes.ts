import { sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { DatabaseOrTransaction } from '../database.ts'
import { ownSessions } from './session.ts'

/** How long to wait for sessions of a stopped node to end. */
const patienceMs = 5000
const lookEveryMs = 250

/**
 * Returns the addresses of other connected nodes, or null; waits for sessions of stopped nodes to
 * end. Nodes before 0.11.0 are detectable only this way. Does not detect a node with another
 * application_name or without a session.
 *
 * The transaction holds the schema lock: a session that waits for the lock belongs to a starting
 * process, which has read no table.
 */
export async function otherNodes(trx: DatabaseOrTransaction, clock: Clock): Promise<string | null> {
  for (let leftMs = patienceMs; ; leftMs -= lookEveryMs) {
    const places = await placesOfOthers(trx)
    if (places === null || leftMs <= 0) return places
    await clock.wait(lookEveryMs)
  }
}

async function placesOfOthers(trx: DatabaseOrTransaction): Promise<string | null> {
  await sql`select pg_stat_clear_snapshot()`.execute(trx) // otherwise the transaction sees a single state
  const { rows } = await sql<{ places: string | null }>`
    select string_agg(distinct coalesce(host(client_addr), 'a socket of its machine'), ', ') as places
    from pg_stat_activity as others
    where datname = current_database() and pid <> pg_backend_pid()
      and pid <> all(${ownSessions()})
      and backend_type = 'client backend'
      and application_name in ('gatehouse', current_setting('application_name'))
      and not exists (
        select from pg_locks as theirs
        join pg_locks as ours using (locktype, database, classid, objid, objsubid)
        where theirs.pid = others.pid and not theirs.granted
          and ours.pid = pg_backend_pid() and ours.granted and locktype = 'advisory')`.execute(trx)
  return rows[0]?.places ?? null
}
