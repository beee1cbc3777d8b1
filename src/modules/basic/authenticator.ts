import type { FastifyRequest } from 'fastify'
import type { Config } from '../../core/config/load.ts'
import { keyedDigest } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import { lockName } from '../../core/database/transactions.ts'
import { ApiError, type ErrorRow } from '../../core/errors.ts'
import type { LoginAddress } from '../../core/http/limits/client-address.ts'
import type { Authenticator } from '../../core/http/routes/declaration.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import { BoundedMap } from '../../core/limits/bounded-map.ts'
import { type Principal, type Role, rolesAmong } from '../../core/policy/principal.ts'
import { type Accounts, accountIn } from '../accounts/accounts.ts'
import type { AutomaticLock } from '../accounts/lock.ts'
import { byPassword, type PasswordMethodDeps } from '../accounts/password-method.ts'
import type { Account } from '../authentication/account.ts'
import { type AuthenticateDeps, authenticate } from '../authentication/attempt.ts'
import type { Completion, Result } from '../authentication/completion.ts'
import type { Requirements } from '../authentication/requirements.ts'
import { basicCredentials } from '../clients/basic-credentials.ts'
import type { LoginLimits } from '../throttle/limits.ts'

/**
 * RFC 7617; spec 5.1. A hash per request would cost 14 ms, so verified credentials are cached for a
 * minute by keyed digest. Limits and account are checked for each request.
 */
export interface BasicDeps extends AuthenticateDeps, PasswordMethodDeps {
  readonly accounts: Pick<Accounts, 'byUsername' | 'reread'>
  readonly config: Pick<Config, 'roles'>
  readonly completion: Completion
  readonly limits: LoginLimits
  readonly lock: Pick<AutomaticLock, 'forget'>
  readonly loginAddress: LoginAddress
  readonly requirements: Requirements
  readonly random: Random
}

const rememberedMs = 60_000
const maxRemembered = 1000

/** Answered with 401 and the challenges. */
const refusals = new Set<ErrorRow>(['invalidCredentials', 'captchaRequired'])

function asMissing(error: unknown): never {
  const isRefused = error instanceof ApiError && refusals.has(error.row)
  if (!isRefused) throw error
  throw new ApiError('authenticationRequired', { cause: error, reason: error.reason })
}

interface Remembered {
  /** A changed hash requires verification. */
  readonly passwordHash: string
  readonly until: number
}

export function basicAuthenticator(deps: BasicDeps): Authenticator {
  const { accounts, clock, completion, db, limits, lock, loginAddress, random, requirements } = deps
  const { roles } = deps.config
  const digestKey = random.bytes(32)
  const remembered = new BoundedMap<string, Remembered>(maxRemembered)

  return {
    scheme: 'basic',
    header: 'basic',
    missing: 'authenticationRequired',
    challenge: 'Basic realm="API", charset="UTF-8"',
    csrf: 'sameSite', // sent automatically, like a cookie
    errors: ['tooManyLoginAttempts'],
    describes: {
      type: 'http',
      scheme: 'basic',
      description:
        'Username and password of an account without a second factor; over HTTPS, by programs.',
    },

    async authenticate(request) {
      const sent = basicCredentials(request.headers.authorization)
      if (sent === undefined) return null
      if (sent === null) {
        throw new ApiError('authenticationRequired', { reason: { code: 'basic_malformed' } })
      }
      const credentials = { username: sent.name, password: sent.secret }
      const account = (await recall(request, credentials)) ?? (await verify(request, credentials))
      const principal = principalOf(account, { roles, now: clock.now() })
      return {
        principal,
        lockNames: () => [lockName.account(account.userId)],
        async revalidate(db) {
          const present = await accountIn(db, account.userId)
          if (!present) return null
          const since = { now: present, before: account }
          const unmet = requirements.unmet('basicCaller', { account: present, since })
          return unmet ? null : { ...principal, roles: new Set(rolesAmong(present.roles, roles)) }
        },
      }
    },
  }

  async function recall(
    request: FastifyRequest,
    credentials: Credentials,
  ): Promise<Account | null> {
    const known = remembered.get(digestOf(credentials))
    const username = canonicalUsername(credentials.username)
    if (!known || known.until <= clock.now() || username === null) return null
    const account = await accounts.byUsername(username)
    if (!account || account.passwordHash !== known.passwordHash) return null
    if (requirements.unmet('basic', { account })) return null
    await limits.admit({ username, address: loginAddress(request) })
    await lock.forget(account)
    return account
  }

  async function verify(request: FastifyRequest, credentials: Credentials): Promise<Account> {
    const authentication = byPassword(deps, { ...credentials, address: loginAddress(request) })
    const account = await authenticate(deps, authentication, async (evidence, attempt) => {
      // A rejection by `basic` is no wrong guess, but reveals a correct password; a locked account
      // must not.
      const isRefused = requirements.unmet('basic', evidence) !== null
      if (isRefused) await accounts.reread(db, evidence.account, 'commit')
      const passed = requirements.pass('basic', evidence)
      if (typeof passed === 'string') throw new Error('Basic cannot take a step')
      return completion.complete(passed, attempt, oneRequest)
    }).catch(asMissing)
    const { passwordHash } = account
    if (passwordHash !== null) {
      remembered.set(digestOf(credentials), { passwordHash, until: clock.now() + rememberedMs })
    }
    return account
  }

  function digestOf({ username, password }: Credentials): string {
    return keyedDigest(digestKey, `${username}:${password}`)
  }
}

const oneRequest: Result<void, Account> = {
  issue: async () => {},
  respond: (_, { account }) => account,
}

function principalOf(
  account: Account,
  { roles, now }: { readonly roles: readonly Role[]; readonly now: number },
): Principal {
  return {
    subject: String(account.userId),
    username: account.username,
    roles: new Set(rolesAmong(account.roles, roles)),
    credential: { scheme: 'basic' },
    amr: ['pwd'],
    authTime: now,
  }
}

interface Credentials {
  readonly username: string
  readonly password: string
}
