import type { FastifyRequest } from 'fastify'
import type { Config } from '../../src/core/config/load.ts'
import { digest } from '../../src/core/crypto/digest.ts'
import type { Database, DatabaseOrTransaction } from '../../src/core/database/database.ts'
import { lockName } from '../../src/core/database/transactions.ts'
import { ApiError, type RefusalReason } from '../../src/core/errors.ts'
import type { Authenticator } from '../../src/core/http/routes/declaration.ts'
import {
  type OutsideScheme,
  type Principal,
  type Role,
  rolesAmong,
} from '../../src/core/policy/principal.ts'
import { type Accounts, accountIn } from '../../src/modules/accounts/accounts.ts'
import type { Account } from '../../src/modules/authentication/account.ts'
import { type Requirements, reasonOfUnmet } from '../../src/modules/authentication/requirements.ts'
import { noteStore } from './store.ts'

export interface AuthenticatorDeps {
  readonly accounts: Pick<Accounts, 'byUserId'>
  readonly config: Pick<Config, 'roles'>
  readonly db: Database
  readonly requirements: Pick<Requirements, 'unmet'>
}

/**
 * Authenticates the key of a device, which no browser sends by itself: by `Authorization: Example`, on
 * a route of another module too, and by a header of its own.
 */
export function keyAuthenticators(deps: AuthenticatorDeps): Authenticator[] {
  return [
    {
      ...keyAuthenticator('x-example', keyOfAuthorization, deps),
      header: 'example',
      challenge: 'Example realm="API"',
      operations: ['getMe'],
      describes: { type: 'http', scheme: 'example' },
    },
    {
      ...keyAuthenticator('x-note-key', ({ headers }) => headers['x-note-key'], deps),
      header: null,
      describes: { type: 'apiKey', in: 'header', name: 'X-Note-Key' },
    },
  ]
}

function keyOfAuthorization({ headers }: FastifyRequest): string | undefined {
  const [, key] = /^Example +(\S*)$/i.exec(headers.authorization ?? '') ?? []
  return key
}

function keyAuthenticator(
  scheme: OutsideScheme,
  keyOf: (request: FastifyRequest) => string | readonly string[] | undefined,
  { config, db, requirements }: AuthenticatorDeps,
): Pick<Authenticator, 'scheme' | 'missing' | 'authenticate'> {
  return {
    scheme,
    missing: 'authenticationRequired',

    async authenticate(request) {
      const key = keyOf(request)
      if (key === undefined) return null
      const id = typeof key === 'string' ? digest(key) : ''
      const account = await accountBy(db, id)
      const reason = refusalOf(account)
      if (!account || reason) {
        throw new ApiError('authenticationRequired', {
          reason: reason ?? { code: 'x-note-key-unknown' },
        })
      }
      return {
        principal: principalOf(account, scheme, config.roles),
        lockNames: () => [lockName.account(String(account.userId))],
        async revalidate(trx) {
          const now = await accountBy(trx, id)
          return now && !refusalOf(now) ? principalOf(now, scheme, config.roles) : null
        },
      }
    },
  }

  async function accountBy(reader: DatabaseOrTransaction, id: string): Promise<Account | null> {
    const userId = await noteStore(reader).ownerOfKey(id)
    return userId === null ? null : accountIn(reader, userId)
  }

  function refusalOf(account: Account | null): RefusalReason | null {
    const unmet = account && requirements.unmet('x-note-key', { account })
    return unmet && reasonOfUnmet(unmet, 'x-note-key', { account })
  }
}

function principalOf(
  { userId, username, roles }: Account,
  scheme: OutsideScheme,
  known: readonly Role[],
): Principal {
  return {
    subject: String(userId),
    username,
    roles: new Set(rolesAmong(roles, known)),
    credential: { scheme },
    amr: [], // a key states no login
    authTime: Number.NEGATIVE_INFINITY,
  }
}
