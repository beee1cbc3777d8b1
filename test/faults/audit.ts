import { connect } from '../../src/database/connect.ts'
import { parsePostgresAddress } from '../../src/database/postgres/address.ts'
import { inSnapshot } from '../../src/database/snapshot.ts'
import { systemRandom } from '../../src/kernel/random.ts'
import { Secret } from '../../src/kernel/secret.ts'
import { auditRecordsIn } from '../audit-chains.ts'
import { masterKey } from '../master-key.ts'

/**
 * What is wrong with the audit log after a fault: a chain that does not verify, a user without the
 * record of its creation, and a record without its user.
 */
export async function auditProblems(directory: string, url?: string): Promise<string[]> {
  const postgres = url === undefined ? undefined : parsePostgresAddress(url, () => true)
  const database = { dataDirectory: directory, timeoutMs: 10_000, postgres }
  const { db } = connect(database)
  const config = { masterKey: new Secret(masterKey), database: { ...database, poolMax: 2 } }
  try {
    return await inSnapshot(db, async (trx) => {
      const records = await auditRecordsIn(trx, { config, random: systemRandom })
      const targets = (type: string) =>
        records
          .filter((record) => record.type === type)
          .map(({ target }) => Number(target?.user_id))
      const [created, deleted] = [targets('user_created'), new Set(targets('user_deleted'))]
      const users = await trx.selectFrom('users').select('id').execute()
      const there = new Set(users.map(({ id }) => id))
      const known = new Set(created)
      return [
        ...users.filter(({ id }) => !known.has(id)).map(({ id }) => `user ${id} has no record`),
        ...created
          .filter((id) => !there.has(id) && !deleted.has(id))
          .map((id) => `the record of user ${id} has no user`),
        ...(known.size < created.length ? ['a user is recorded twice'] : []),
      ]
    })
  } catch (error) {
    return [String(error)]
  } finally {
    await db.destroy()
  }
}
