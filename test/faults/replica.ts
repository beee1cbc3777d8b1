import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCluster } from '../postgres.ts'
import { type RestartableCluster, startCluster } from './cluster.ts'
import { waitUntil } from './waiting.ts'

/** A primary and a replica that follows it, by streaming. */
export interface ReplicatedCluster {
  readonly primary: RestartableCluster
  readonly replica: RestartableCluster
  /** An empty database that both have. */
  readonly database: string
  /** From here on the replica hears nothing more; the primary goes on. */
  loseReplication(): Promise<void>
  /** The replica takes over; resolves once it takes changes. */
  promote(): Promise<void>
  remove(): Promise<void>
}

const name = 'replica'
const settings = { wal_level: 'replica', max_wal_senders: '4', hot_standby: 'on' }

/** @param isSynchronous whether a commit waits until the replica has it on its disk */
export async function startReplicated({
  isSynchronous,
}: {
  readonly isSynchronous: boolean
}): Promise<ReplicatedCluster> {
  const files = makeCluster()
  const primary = await startCluster(settings, files)
  const database = await primary.createDatabase()

  await primary.end('SIGINT') // so that its files can simply be copied
  const copy = makeCluster()
  rmSync(copy.data, { recursive: true })
  execFileSync('cp', ['-a', files.data, copy.data])
  writeFileSync(join(copy.data, 'standby.signal'), '')
  const source = `host=${files.folder} user=gatehouse application_name=${name}`
  appendFileSync(join(copy.data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  await primary.start()
  const replica = await startCluster(settings, copy)

  const reload = async (cluster: RestartableCluster, setting: string) => {
    await cluster.query('postgres', `alter system set ${setting}`)
    await cluster.query('postgres', 'select pg_reload_conf()')
  }
  if (isSynchronous) await reload(primary, `synchronous_standby_names = '${name}'`)
  const wanted = isSynchronous ? 'sync' : 'async'
  await waitUntil('replication', async () => {
    const rows = await primary.query<{ sync_state: string }>(
      'postgres',
      'select sync_state from pg_stat_replication',
    )
    return rows[0]?.sync_state === wanted
  })
  return {
    primary,
    replica,
    database,
    loseReplication: () => reload(replica, "primary_conninfo = ''"),
    promote: async () => void (await replica.query('postgres', 'select pg_promote()')),
    async remove() {
      await primary.remove()
      await replica.remove()
    },
  }
}
