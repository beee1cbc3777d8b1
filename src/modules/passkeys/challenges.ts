import { derivedKey, digest, equalInConstantTime, keyedDigest } from '../../core/crypto/digest.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import { clockLeewayMs } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'

/**
 * Challenges that no table holds: expiry, random bytes, and an HMAC over both and the purpose. Any
 * node of the service accepts them, each once.
 */
export interface Challenges {
  /** base64url. */
  begin(purpose: string, seconds: number): string
  /** Whether the challenge is of this purpose, and has not expired. */
  accepts(challenge: string, purpose: string): boolean
  /** In the transaction that completes the ceremony; false if used before. */
  use(trx: DatabaseOrTransaction, challenge: string): Promise<boolean>
}

const timeBytes = 6
const headBytes = timeBytes + 16
const macBytes = 32

export function createChallenges({
  clock,
  keys,
  random,
}: Pick<Needs, 'clock' | 'keys' | 'random'>): Challenges {
  const key = derivedKey(keys.dataKey, 'passkey challenges')
  const signed = (head: Buffer, purpose: string) => {
    const mac = keyedDigest(key, `${head.toString('base64url')}|${purpose}`)
    return Buffer.concat([head, Buffer.from(mac, 'base64url')]).toString('base64url')
  }

  return {
    begin(purpose, seconds) {
      const head = Buffer.alloc(headBytes)
      head.writeUIntBE(clock.now() + seconds * 1000, 0, timeBytes)
      head.set(random.bytes(headBytes - timeBytes), timeBytes)
      return signed(head, purpose)
    },

    accepts(challenge, purpose) {
      const bytes = Buffer.from(challenge, 'base64url')
      if (bytes.length !== headBytes + macBytes) return false
      const wanted = signed(bytes.subarray(0, headBytes), purpose)
      return equalInConstantTime(challenge, wanted) && expiryOf(challenge) > clock.now()
    },

    async use(trx, challenge) {
      const row = { id: digest(challenge), expiresAt: expiryOf(challenge) }
      return (await used.first(trx, row)) !== undefined
    },
  }
}

const used = prepared((db, { id, expiresAt }: Parameters<{ id: string; expiresAt: number }>) =>
  db
    .insertInto('used_passkey_challenges')
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
)

/** Epoch milliseconds. */
function expiryOf(challenge: string): number {
  return Buffer.from(challenge, 'base64url').readUIntBE(0, timeBytes)
}

/** Deletes up to `batchSize` expired challenges; returns the count. */
export function purgeChallenges(
  { db, clock }: { readonly db: DatabaseOrTransaction } & Pick<Needs, 'clock'>,
  batchSize: number,
): Promise<number> {
  const expired = { table: 'used_passkey_challenges', key: 'id', column: 'expires_at' } as const
  // Other nodes, whose clocks may be late, still accept the challenge until then.
  return deleteExpired(db, { ...expired, until: clock.now() - clockLeewayMs }, batchSize)
}
