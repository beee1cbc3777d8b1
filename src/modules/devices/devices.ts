import { sql } from 'kysely'
import { throttledAddress } from '../../core/addresses/address.ts'
import { derivedKey, keyedDigest } from '../../core/crypto/digest.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { prepared } from '../../core/database/prepared.ts'
import type { Needs } from '../../core/module/services.ts'
import { loginNewDevice } from '../authentication/events.ts'
import { originNow } from './origin.ts'

export type Devices = ReturnType<typeof createDevices>

const dayMs = 86_400_000
const keptMs = 365 * dayMs
const maxDevices = 50
// Otherwise the next device would be the first, without a notice.
const noDevice = 'none'

const seenAt = prepared<{ userId: number; device: string }, { last_seen_at: number }>(
  (db, { userId, device }) =>
    db
      .selectFrom('known_devices')
      .select('last_seen_at')
      .where('user_id', '=', userId)
      .where('device', '=', device),
)

export function createDevices({
  db,
  asyncCommitDb,
  clock,
  events,
  keys,
}: Pick<Needs, 'asyncCommitDb' | 'clock' | 'db' | 'events' | 'keys'>) {
  const key = derivedKey(keys.dataKey, 'known devices')
  // Text for cookies, a list for kinds: a cookie cannot imitate a kind.
  const digestOf = (userId: number, device: string | readonly (string | null)[]) =>
    keyedDigest(key, JSON.stringify([userId, device]))

  return {
    /**
     * Runs in the login's transaction. An unknown device of an account with known devices is an
     * event if a notice can be mailed.
     * @param browser the cookie's secret: see device-cookie.ts; without a cookie, browser family and
     * network count
     */
    async signedIn(
      trx: DatabaseOrTransaction,
      { userId, email }: { readonly userId: number; readonly email: string | null },
      browser?: string,
    ): Promise<void> {
      const now = clock.now()
      const device = digestOf(userId, browser ?? kindOfDevice(now))
      const known = await seenAt.first(trx, { userId, device })
      if (known) {
        if (known.last_seen_at <= now - dayMs) await touch(trx, userId, device, now)
        return
      }
      const isNoticed = email !== null && (await hasAny(trx, userId))
      await trx
        .insertInto('known_devices')
        .values({ user_id: userId, device, first_seen_at: now, last_seen_at: now })
        .onConflict((conflict) => conflict.columns(['user_id', 'device']).doNothing())
        .execute()
      await keepNewest(trx, userId)
      if (isNoticed) await events.emitInTransaction(trx, loginNewDevice, { user_id: userId })
    },

    /** The digest of a known browser. Only cookies count. Same cost for every user id. */
    async ofBrowser(userId: number, browser: string): Promise<string | null> {
      const device = digestOf(userId, browser)
      const known = await seenAt.first(db, { userId, device })
      return known && known.last_seen_at > clock.now() - keptMs ? device : null
    },

    /** After a password reset. The next device is still an event: it may not be the owner's. */
    async forget(trx: DatabaseOrTransaction, userId: number): Promise<void> {
      const now = clock.now()
      await trx.deleteFrom('known_devices').where('user_id', '=', userId).execute()
      const none = { user_id: userId, device: noDevice, first_seen_at: now, last_seen_at: now }
      await trx.insertInto('known_devices').values(none).execute()
    },

    /** Devices expire after a year; returns the count. */
    async purge(batchSize: number): Promise<number> {
      const { numAffectedRows = 0n } = await sql`delete from known_devices
        where (user_id, device) in (select user_id, device from known_devices
          where last_seen_at <= ${clock.now() - keptMs} order by last_seen_at limit ${batchSize})
      `.execute(asyncCommitDb)
      return Number(numAffectedRows)
    },
  }
}

/** Family of browser and system, and the network: /24 of IPv4, /64 of IPv6. */
function kindOfDevice(now: number): readonly (string | null)[] {
  const { address, device } = originNow(now)
  return [device?.browser ?? null, device?.system ?? null, address && networkOf(address)]
}

function networkOf(address: string): string {
  return throttledAddress(address).replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24')
}

async function hasAny(trx: DatabaseOrTransaction, userId: number): Promise<boolean> {
  const row = await trx
    .selectFrom('known_devices')
    .select('device')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function touch(
  trx: DatabaseOrTransaction,
  userId: number,
  device: string,
  now: number,
): Promise<void> {
  await trx
    .updateTable('known_devices')
    .set({ last_seen_at: now })
    .where('user_id', '=', userId)
    .where('device', '=', device)
    .execute()
}

async function keepNewest(trx: DatabaseOrTransaction, userId: number): Promise<void> {
  const newest = trx
    .selectFrom('known_devices')
    .select('device')
    .where('user_id', '=', userId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('first_seen_at', 'desc')
    .limit(maxDevices)
  await trx
    .deleteFrom('known_devices')
    .where('user_id', '=', userId)
    .where('device', 'not in', newest)
    .execute()
}
