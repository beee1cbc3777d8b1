import { throttledAddress } from '../../core/addresses/address.ts'
import { digest } from '../../core/crypto/digest.ts'
import { randomText } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Account } from '../authentication/account.ts'
import { unknownAuthTime } from '../authentication/evidence.ts'
import { createFlowLimit } from '../flows/limit.ts'
import { flowRows, type StoredFlow } from '../flows/rows.ts'
import { seal, unseal } from '../keys/seal.ts'
import type { JudgedClaims } from '../tokens/revocations.ts'
import { authorizationUrl, exchange } from './code-grant.ts'
import type { IdentityClaims } from './identities.ts'
import type { FlowSecrets } from './oauth2-grant.ts'
import { deadline, type Provider } from './provider.ts'

/**
 * Authorization code flow with PKCE. OpenID Connect Core section 3.1; RFC 7636, RFC 9207. State is
 * in the database, so that any process can finish a flow.
 */
export interface Flows {
  /**
   * @throws ApiError identityProvider; serviceUnavailable, also for too many pending sign-ins;
   * invalidCredentials if the linking account has ended its logins
   */
  begin(provider: Provider, beginning: FlowStart): Promise<URL>
  /**
   * Consumes the flow, even on failure.
   * @throws ApiError signInFailed, accessDenied, identityProvider, serviceUnavailable
   */
  finish(provider: Provider, query: URLSearchParams, browser: string): Promise<FinishedFlow>
  /** Returns the ticket. @throws ApiError invalidCredentials if the account has ended its logins */
  suspend(
    account: Account,
    finished: Pick<FinishedFlow, 'person' | 'provider' | 'returnTo'>,
  ): Promise<string>
  /** @throws ApiError signInFailed if expired */
  waiting(ticket: string | undefined): Promise<SuspendedFlow>
  /** Consumes the ticket. @throws ApiError signInFailed if already used */
  resume(trx: DatabaseOrTransaction, ticket: string, waiting: SuspendedFlow): Promise<void>
}

export interface FlowStart {
  readonly returnTo: string
  readonly browser: string
  /** For a sign-in, the client's address. */
  readonly by: LinkingCaller | ProvingCaller | string
  readonly isFresh?: boolean
}

export interface ProvingCaller extends Pick<LinkingCaller, 'account' | 'guard'> {
  readonly proves: true
}

export interface LinkingCaller {
  readonly account: Account
  /** Null for a token or a password. */
  readonly sessionId: string | null
  /** Null for a session or a password. */
  readonly token: JudgedClaims | null
  readonly guard: Guard | undefined
}

export interface FinishedFlow {
  readonly provider: string
  readonly person: IdentityClaims
  readonly returnTo: string
  /** As it was when the linking began; null for a sign-in. */
  readonly linkTo: (AccountThen & Pick<LinkingCaller, 'sessionId' | 'token'>) | null
  /** `since`: epoch milliseconds; an earlier sign-in at the provider does not count. */
  readonly proves: (AccountThen & { readonly since: number }) | null
}

/** When the flow began. */
export interface AccountThen {
  readonly userId: number
  readonly refreshVersion: number
}

/** Waits for a second factor. */
export interface SuspendedFlow extends AccountThen {
  /** At the provider, in epoch milliseconds. */
  readonly authTime: number
  readonly provider: string
  readonly returnTo: string
}

interface Secrets extends Omit<FlowSecrets, 'state'> {
  readonly issuer: string
  readonly refreshVersion: number
  readonly sessionId: string | null
  readonly token: JudgedClaims | null
  readonly authTime?: number | undefined
}

export const flowSeconds = 600
const secretBytes = 32 // 43 characters of base64url, the shortest PKCE verifier: RFC 7636 section 4.1

export function createFlows({
  accounts,
  db,
  clock,
  random,
  keys,
}: Pick<Needs, 'accounts' | 'db' | 'clock' | 'random' | 'keys'>): Flows {
  const store = flowRows(db)
  const limit = createFlowLimit({ clock, what: 'sign-ins', reason: 'too_many_sign_ins' })

  return {
    async begin(provider, { returnTo, browser, by, isFresh = false }) {
      const { name, issuer } = provider.config
      const caller = typeof by === 'string' ? undefined : by
      const linker = caller && !('proves' in caller) ? caller : undefined
      // A full service must not ask the provider at each request.
      if (!caller) await limit.assertRoom(db, { purpose: 'sign_in', address: '', userId: null })
      const [state, nonce, verifier] = [secret(), secret(), secret()]
      const client = await provider.client(deadline())
      const url = await authorizationUrl(provider, client, { state, nonce, verifier }, { isFresh })
      await keep(
        { state, browser, provider: name, returnTo },
        {
          issuer,
          nonce,
          verifier,
          refreshVersion: caller?.account.refreshVersion ?? 0,
          sessionId: linker?.sessionId ?? null,
          token: linker?.token ?? null,
        },
        typeof by === 'string'
          ? { purpose: 'sign_in', address: throttledAddress(by) }
          : { purpose: linker ? 'link' : 'prove', account: by.account, guard: by.guard },
      )
      return url
    },

    async finish(provider, query, browser) {
      const { name, issuer } = provider.config
      const state = query.get('state') ?? ''
      const keyOf = { id: digest(state), browser: digest(browser) }
      const flow = await store.take(keyOf, { provider: name, now: clock.now() })
      if (!flow || flow.purpose === 'second_factor') {
        throw new ApiError('signInFailed', { reason: { code: 'flow_unknown' } })
      }
      const secrets = open(flow)
      // The configuration may have changed.
      if (secrets.issuer !== issuer) {
        const reason = { code: 'flow_of_another_issuer', facts: { provider: name } } as const
        throw new ApiError('signInFailed', { reason })
      }
      const person = await exchange(provider, query, { ...secrets, state })
      const { returnTo } = flow
      const { refreshVersion, sessionId, token } = secrets
      return {
        provider: name,
        person,
        returnTo,
        linkTo: isOf(flow, 'link')
          ? { userId: flow.userId, refreshVersion, sessionId, token }
          : null,
        proves: isOf(flow, 'prove')
          ? { userId: flow.userId, refreshVersion, since: flow.expiresAt - flowSeconds * 1000 }
          : null,
      }
    },

    async suspend(account, { person, provider, returnTo }) {
      const { refreshVersion } = account
      const ticket = secret()
      await keep(
        { state: ticket, browser: ticket, provider, returnTo },
        {
          ...{ issuer: '', nonce: '', verifier: '', refreshVersion, sessionId: null, token: null },
          authTime: person.authTime,
        },
        { purpose: 'second_factor', account },
      )
      return ticket
    },

    async waiting(ticket) {
      const key = { id: digest(ticket ?? ''), browser: digest(ticket ?? '') }
      const flow = await store.find(key, { purpose: 'second_factor', now: clock.now() })
      if (flow?.userId == null) throw ticketUnknown()
      const { provider, userId, returnTo } = flow
      const { authTime = unknownAuthTime, refreshVersion } = open(flow)
      return { provider, userId, returnTo, refreshVersion, authTime }
    },

    async resume(trx, ticket, { provider }) {
      const key = { id: digest(ticket), browser: digest(ticket) }
      if (!(await flowRows(trx).take(key, { provider, now: clock.now() }))) {
        throw ticketUnknown()
      }
    },
  }

  function secret(): string {
    return randomText(random, secretBytes)
  }

  async function keep(
    flow: { state: string; browser: string; provider: string; returnTo: string },
    secrets: Secrets,
    begun:
      | { purpose: 'sign_in'; address: string }
      | {
          purpose: 'link' | 'prove' | 'second_factor'
          account: Account
          guard?: Guard | undefined
        },
  ): Promise<void> {
    const id = digest(flow.state)
    const account = 'account' in begun ? begun.account : null
    const address = 'address' in begun ? begun.address : ''
    const kept: StoredFlow = {
      id,
      browser: digest(flow.browser),
      purpose: begun.purpose,
      provider: flow.provider,
      userId: account?.userId ?? null,
      sealed: seal(random, keys.dataKey, contextOf(id), Buffer.from(JSON.stringify(secrets))),
      returnTo: flow.returnTo,
      expiresAt: clock.now() + flowSeconds * 1000,
      address,
      step: '',
      tries: 0,
      language: null,
    }
    // No lock: concurrent sign-ins can briefly exceed the limit.
    await transact(
      db,
      account ? [lockName.account(account.userId)] : [],
      async (trx) => {
        if (account) await accounts.reread(trx, account) // may be deleted in the meantime
        await flowRows(trx).insert(kept)
        await limit.removeOldest(trx, kept)
      },
      'guard' in begun ? begun.guard : undefined,
    )
  }

  function open({ id, sealed }: StoredFlow): Secrets {
    return JSON.parse(unseal(keys.dataKey, contextOf(id), sealed).toString()) // written by `keep`
  }
}

function isOf(flow: StoredFlow, purpose: string): flow is StoredFlow & { userId: number } {
  return flow.purpose === purpose && flow.userId !== null
}

/** Binds the secrets to their row: another row belongs to another browser. */
function contextOf(id: string): string {
  return `flow:${id}`
}

function ticketUnknown(): ApiError {
  return new ApiError('signInFailed', { reason: { code: 'flow_ticket_unknown' } })
}
