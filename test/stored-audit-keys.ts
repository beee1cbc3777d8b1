import type { Random } from '../src/core/crypto/random.ts'
import type { Database } from '../src/core/database/database.ts'
import { auditKeysOf } from '../src/modules/keys/audit-keys.ts'
import { sealKey } from '../src/modules/keys/sealed-key.ts'
import { keyStore } from '../src/modules/keys/store.ts'
import { loadConfig } from './config.ts'
import { masterKey } from './master-key.ts'

/** Stores the key from which a service derives the keys of the audit log. */
export async function storedAuditKeys(db: Database, random: Random) {
  const [master, data] = [Buffer.from(masterKey, 'hex'), Buffer.alloc(32, 3)]
  const identity = { id: 'k', purpose: 'data', algorithm: 'A256GCM' } as const
  const times = { createdAt: 1, retiredAt: null, signsFrom: null, isOlder: false }
  const sealed = sealKey(random, master, identity, data)
  await keyStore(db).insert({ ...identity, ...times, sealed })
  const config = loadConfig({ NODE_ENV: 'test', MASTER_KEY: masterKey })
  return { config, keys: auditKeysOf(master, data) }
}
