import type { Config } from '../../src/core/config/load.ts'
import { digest } from '../../src/core/crypto/digest.ts'
import type { Database, DatabaseOrTransaction } from '../../src/core/database/database.ts'
import { lockName } from '../../src/core/database/transactions.ts'
import { ApiError } from '../../src/core/errors.ts'
import type { Authenticator } from '../../src/core/http/routes/declaration.ts'
import { type Principal, type Role, rolesAmong } from '../../src/core/policy/principal.ts'
import { type Accounts, accountIn } from '../../src/modules/accounts/accounts.ts'
import type { Account } from '../../src/modules/authentication/account.ts'
import type { Requirements } from '../../src/modules/authentication/requirements.ts'
import { noteStore } from './store.ts'

export interface AuthenticatorDeps {
  readonly accounts: Pick<Accounts, 'byUserId'>
  readonly config: Pick<Config, 'roles'>
  readonly db: Database
  readonly requirements: Pick<Requirements, 'unmet'>
}

/** Authenticates the key of a device in a request header, which no browser sends by itself. */
export function noteKeyAuthenticator({
  config,
  db,
  requirements,
}: AuthenticatorDeps): Authenticator {
  return {
    scheme: 'x-note-key',
    header: null,
    missing: 'authenticationRequired',
    describes: { type: 'apiKey', in: 'header', name: 'X-Note-Key' },

    async authenticate({ headers }) {
      const key = headers['x-note-key']
      if (key === undefined) return null
      const id = typeof key === 'string' ? digest(key) : ''
      const principal = await callerBy(db, id)
      if (!principal) {
        throw new ApiError('authenticationRequired', { reason: { code: 'x-note-key-unknown' } })
      }
      return {
        principal,
        lockNames: () => [lockName.account(principal.subject)],
        revalidate: (trx) => callerBy(trx, id),
      }
    },
  }

  async function callerBy(reader: DatabaseOrTransaction, id: string): Promise<Principal | null> {
    const userId = await noteStore(reader).ownerOfKey(id)
    const account = userId === null ? null : await accountIn(reader, userId)
    return account && !requirements.unmet('session', { account })
      ? principalOf(account, config.roles)
      : null
  }
}

function principalOf({ userId, username, roles }: Account, known: readonly Role[]): Principal {
  return {
    subject: String(userId),
    username,
    roles: new Set(rolesAmong(roles, known)),
    credential: { scheme: 'x-note-key' },
    amr: [], // a key states no login
    authTime: Number.NEGATIVE_INFINITY,
  }
}
