import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Authentication } from '../authentication/attempt.ts'
import { refused, type Verified } from './passkeys.ts'

/** A login by a passkey alone, which names the account too. */
export interface PasskeyLogin {
  readonly authentication: Authentication
  /** In the transaction that completes the login. @throws ApiError invalidCredentials */
  use(trx: DatabaseOrTransaction): Promise<void>
}

export interface SentPasskey {
  readonly sent: unknown
  readonly purpose: string
  readonly address: string
  /** If only this user may sign in. */
  readonly userId?: number | undefined
}

/** The caller counts the attempt by `passkeyLimits`. */
export function byPasskey(
  { accounts, clock, passkeys }: Pick<Needs, 'accounts' | 'clock' | 'passkeys'>,
  { sent, purpose, address, userId: only }: SentPasskey,
): PasskeyLogin {
  let proven: Verified | undefined
  return {
    authentication: {
      login: { username: null, address },
      stage: 'passkey',
      method: {
        async prove(attempt) {
          const verified = await passkeys.verify(sent, {
            purpose,
            ...(only !== undefined && { userId: only }),
          })
          const { userId } = verified.passkey
          attempt.onFailure({ userId })
          const account = await accounts.byUserId(userId)
          if (!account) throw refused('unknown', userId)
          proven = verified
          return { account, amr: verified.amr, authTime: clock.now() }
        },
      },
    },

    async use(trx) {
      if (!proven) throw new Error('the passkey was not verified')
      await passkeys.use(trx, proven)
    },
  }
}
