import { systemRandom } from '../../src/core/crypto/random.ts'
import { Secret } from '../../src/core/crypto/secret.ts'
import { connect } from '../../src/core/database/connect.ts'
import { parsePostgresAddress } from '../../src/core/database/postgres/address.ts'
import { inSnapshot } from '../../src/core/database/snapshot.ts'
import { auditRecordsIn } from '../audit-chains.ts'
import { masterKey } from '../master-key.ts'

/**
 * What is wrong with the audit log after a fault: a chain that does not verify, a user without the
 * record of its creation, a record without its user, and an erasure without a deletion or the reverse.
 */
export async function auditProblems(directory: string, url?: string): Promise<string[]> {
  const postgres = url === undefined ? undefined : parsePostgresAddress(url, () => true)
  const database = { dataDirectory: directory, timeoutMs: 10_000, postgres }
  const { db } = connect(database)
  const config = { masterKey: new Secret(masterKey), database: { ...database, poolMax: 2 } }
  try {
    return await inSnapshot(db, async (trx) => {
      const deps = { config, random: systemRandom }
      const records = await auditRecordsIn(trx, deps, { mayBeErased: true })
      const created = records.filter(({ type }) => type === 'user_created')
      const named = created.flatMap(({ target }) => (target ? Number(target.user_id) : []))
      const deletions = records.filter(({ type }) => type === 'user_deleted').length
      const erased = created.length - named.length
      const users = await trx.selectFrom('users').select('id').execute()
      const there = new Set(users.map(({ id }) => id))
      const known = new Set(named)
      return [
        ...users.filter(({ id }) => !known.has(id)).map(({ id }) => `user ${id} has no record`),
        ...named.filter((id) => !there.has(id)).map((id) => `the record of user ${id} has no user`),
        ...(known.size < named.length ? ['a user is recorded twice'] : []),
        ...(erased === deletions ? [] : [`${deletions} deletions, and ${erased} users are erased`]),
      ]
    })
  } catch (error) {
    return [String(error)]
  } finally {
    await db.destroy()
  }
}
