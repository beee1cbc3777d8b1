import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Amr } from '../authentication/evidence.ts'
import type { FactorKind } from '../factors/kinds.ts'
import type { KeySet } from '../keys/key-set.ts'
import { unseal } from '../keys/seal.ts'
import { totpStore } from './store.ts'
import { matchingSteps, stepSeconds } from './totp.ts'

export interface TotpKindDeps {
  readonly clock: Clock
  readonly keys: Pick<KeySet, 'dataKey'>
}

/** An account has at most one TOTP factor. */
export const totpId = 'totp'

export const totpAmr: readonly Amr[] = ['otp', 'mfa']

/** Authenticator apps show two groups. */
export function withoutSpaces(code: string): string {
  return code.replace(/\s/g, '')
}

export function createTotpKind({ clock, keys }: TotpKindDeps): FactorKind {
  return {
    name: 'totp',
    tables: ['second_factors'],
    typed: withoutSpaces,

    async of(db, userId) {
      const stored = await totpStore(db).of(userId)
      if (!stored) return []
      const { sealed, confirmedAt: createdAt, lastStep } = stored
      const isConfirmed = sealed !== null
      // The code of the next step may have been used.
      const usedAt = Math.min(lastStep * stepSeconds * 1000, clock.now())
      const lastUsedAt = isConfirmed ? usedAt : null
      return [{ id: totpId, name: null, isConfirmed, createdAt, lastUsedAt }]
    },

    async prove(trx, { userId }, sent) {
      if (await isRight(trx, userId, sent)) return totpAmr
      const reason = { code: 'second_factor_wrong', facts: { user_id: userId } } as const
      throw new ApiError('invalidCredentials', { reason })
    },

    remove: (trx, userId) => totpStore(trx).remove(userId),
    removeSince: (trx, userId, since) => totpStore(trx).removeSince(userId, since),
  }

  async function isRight(
    trx: DatabaseOrTransaction,
    userId: number,
    code: unknown,
  ): Promise<boolean> {
    const store = totpStore(trx)
    const { sealed = null } = (await store.of(userId)) ?? {}
    if (sealed === null) return false
    const secret = unseal(keys.dataKey, contextOf(userId), sealed)
    for (const step of matchingSteps(secret, code, clock.now())) {
      if (await store.useStep(userId, sealed, step)) return true
    }
    return false
  }
}

/** Binds a confirmed secret to its account. */
export function contextOf(userId: number): string {
  return `second factor of ${userId}`
}
