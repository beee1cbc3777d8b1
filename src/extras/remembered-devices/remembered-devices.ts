import { derivedKey, digest, keyedDigest } from '../../core/crypto/digest.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { currentContext } from '../../core/events/context.ts'
import type { Needs } from '../../core/module/services.ts'
import type { RememberedDevices as OfSignIn } from '../../modules/pages/sign-in/ways.ts'
import { deviceRemembered, devicesForgotten, deviceUsed } from './events.ts'
import { deviceNotFound } from './problems.ts'
import { deviceStore, type StoredDevice } from './store.ts'

export interface Device {
  /** Names the device on the wire. */
  readonly handle: string
  readonly address: string
  readonly userAgent: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly endsAt: number
}

export interface RememberedDevices extends OfSignIn {
  /** Newest first. */
  of(userId: number): Promise<Device[]>
  /** The handle of a browser, remembered or not. */
  handleOf(userId: number, browser: string): string
  /** One, or all. @throws ApiError deviceNotFound for an unknown handle */
  forget(
    userId: number,
    by: {
      readonly reason: 'owner' | 'administrator'
      readonly handle?: string
      readonly guard: Guard | undefined
    },
  ): Promise<void>
  /** With all logins of the account, and with new roles. */
  accountEnded(
    trx: DatabaseOrTransaction,
    end: { readonly userId: number; readonly isRemoved: boolean },
  ): Promise<void>
  purge(batchSize: number): Promise<number>
}

const dayMs = 86_400_000
/** The years of dates have four digits. */
const maxDays = 1_000_000
const maxDevices = 50
const maxUserAgentLength = 256

export function createRememberedDevices({
  asyncCommitDb,
  clock,
  config,
  db,
  events,
  keys,
}: Pick<
  Needs,
  'asyncCommitDb' | 'clock' | 'config' | 'db' | 'events' | 'keys'
>): RememberedDevices {
  const { days } = config.rememberedDevices
  const keptMs = Math.min(days, maxDays) * dayMs
  const key = derivedKey(keys.dataKey, 'remembered devices')
  const deviceOf = (userId: number, browser: string) =>
    keyedDigest(key, JSON.stringify([userId, browser]))
  /** Rows made until then have ended. */
  const ended = () => clock.now() - keptMs

  return {
    days: days > 0 ? days : null,

    isRemembered: (userId, browser) =>
      days > 0 ? deviceStore(db).has(deviceOf(userId, browser), ended()) : Promise.resolve(false),

    async use(trx, userId, browser) {
      const device = deviceOf(userId, browser)
      if (!(days > 0 && (await deviceStore(trx).use(device, ended(), clock.now())))) {
        const reason = { code: 'device_forgotten', facts: { user_id: userId } } as const
        throw new ApiError('invalidCredentials', { reason })
      }
      await events.emitInTransaction(trx, deviceUsed, { user_id: userId })
    },

    async remember(trx, userId, browser) {
      if (days === 0) return
      const { address, request } = currentContext()
      const now = clock.now()
      const store = deviceStore(trx)
      await store.put({
        device: deviceOf(userId, browser),
        user_id: userId,
        created_at: now,
        last_used_at: now,
        address: address ?? '',
        user_agent: (request?.userAgent ?? '').slice(0, maxUserAgentLength),
      })
      await store.keepNewest(userId, maxDevices)
      await events.emitInTransaction(trx, deviceRemembered, { user_id: userId })
    },

    of: async (userId) =>
      days === 0 ? [] : (await deviceStore(db).of(userId, ended())).map(shown),

    handleOf: (userId, browser) => handleOf(deviceOf(userId, browser)),

    async forget(userId, { reason, handle, guard }) {
      const work = async (trx: DatabaseOrTransaction) => {
        const store = deviceStore(trx)
        const all = await store.of(userId, ended())
        const named = all.find(({ device }) => handleOf(device) === handle)
        if (handle !== undefined && !named) {
          const facts = { user_id: userId }
          throw new ApiError(deviceNotFound, { reason: { code: 'no_device', facts } })
        }
        const count = await store.remove(userId, named?.device)
        if (count === 0) return
        await events.emitInTransaction(trx, devicesForgotten, { user_id: userId, count, reason })
      }
      await transact(db, [lockName.account(userId)], work, guard)
    },

    async accountEnded(trx, { userId, isRemoved }) {
      const count = await deviceStore(trx).remove(userId)
      if (count === 0 || isRemoved) return
      const payload = { user_id: userId, count, reason: 'account' } as const
      await events.emitInTransaction(trx, devicesForgotten, payload)
    },

    purge: (batchSize) =>
      deleteExpired(
        asyncCommitDb,
        { table: 'remembered_devices', key: 'device', column: 'created_at', until: ended() },
        batchSize,
      ),
  }

  function shown(row: StoredDevice): Device {
    return {
      handle: handleOf(row.device),
      address: row.address,
      userAgent: row.user_agent,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
      endsAt: row.created_at + keptMs,
    }
  }
}

function handleOf(device: string): string {
  return digest(`remembered device ${device}`)
}
