import type { Needs } from '../../core/module/services.ts'
import type { FactorKind } from '../factors/kinds.ts'
import type { Verified } from './passkeys.ts'
import { passkeyStore } from './store.ts'

/** The request field of a proof. */
export const kindName = 'passkey'

export function createPasskeyKind({ passkeys }: Pick<Needs, 'passkeys'>): FactorKind {
  return {
    name: kindName,
    tables: ['passkeys'],
    isBothFactors: true,

    async of(db, userId) {
      return (await passkeyStore(db).of(userId)).map((passkey) => ({
        ...{ id: passkey.id, name: passkey.name, isConfirmed: true },
        ...{ createdAt: passkey.createdAt, lastUsedAt: passkey.lastUsedAt },
      }))
    },

    verify: ({ userId }, sent, purpose) => passkeys.verify(sent, { purpose, userId }),

    async prove(trx, _account, proof) {
      const verified = proof as Verified // of `verify`
      await passkeys.use(trx, verified)
      return verified.amr
    },

    remove: (trx, userId, id) => passkeyStore(trx).remove(userId, id),
    removeSince: (trx, userId, since) => passkeyStore(trx).removeSince(userId, since),
  }
}
