import type { FastifyRequest } from 'fastify'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Account } from '../authentication/account.ts'
import type { ProofKind, ProtectedChange } from '../authentication/proof-kinds.ts'
import type { Browser, PageFlow } from '../flows/flows.ts'
import { flowOf, knownBrowser } from '../flows/requests.ts'

export interface Confirming {
  readonly change: ProtectedChange
  /** Binds the proofs to a session and account version. */
  readonly sessionId: string
  readonly refreshVersion: number
  /** Null if an API request asked for the confirmation. */
  readonly form: FormInput | null
  /** Epoch milliseconds by proof. */
  readonly proven: Readonly<Partial<Record<ProofKind, number>>>
  /** The confirmation of the mailed code. */
  readonly mail?: string
  /** Redirect to a provider. */
  readonly leaving?: { readonly provider: string; readonly url: string }
}

export interface FormInput {
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

export type ConfirmFlow = PageFlow<Confirming>

export interface Grant {
  readonly flow: Pick<ConfirmFlow, 'key' | 'sealed'>
  readonly kinds: readonly ProofKind[]
}

/** Valid for five minutes, for one change, session and browser cookie, until used. docs/adr/0073 */
export interface Grants {
  /** @throws ApiError serviceUnavailable if too many flows are open */
  begin(
    account: Account,
    wanted: Pick<Confirming, 'change' | 'form' | 'sessionId'>,
    browser: Browser,
    guard?: Guard,
  ): Promise<ConfirmFlow>
  /** In this session and browser. */
  find(request: FastifyRequest, account: Account): Promise<ConfirmFlow | null>
  /** For a browser returning from a provider without its session. */
  findReturning(request: FastifyRequest, id: unknown, account: Account): Promise<ConfirmFlow | null>
  /** Null if there are no proofs. */
  of(request: FastifyRequest, account: Account, change: ProtectedChange): Promise<Grant | null>
  /** Unexpired. */
  kindsOf(flow: Pick<ConfirmFlow, 'data'>): ProofKind[]
  /** In the caller's transaction. */
  add(
    trx: DatabaseOrTransaction,
    flow: ConfirmFlow,
    kinds: readonly ProofKind[],
    more?: Pick<Confirming, 'leaving' | 'mail'>,
  ): Promise<ConfirmFlow>
  /** In the transaction of the change; false if already used. */
  use(trx: DatabaseOrTransaction, grant: Grant): Promise<boolean>
}

const purpose = 'page_confirm'
const grantMs = 300_000
// Allows for slow mail or a provider's sign-in.
const flowSeconds = 900

export function createGrants({
  clock,
  db,
  pageFlows,
  requirements,
}: Pick<Needs, 'clock' | 'db' | 'pageFlows' | 'requirements'>): Grants {
  const grants: Grants = {
    begin({ userId, refreshVersion }, { change, form, sessionId }, browser, guard) {
      const data: Confirming = { change, sessionId, refreshVersion, form, proven: {} }
      const start = { purpose, step: change, data, returnTo: '/account', userId } as const
      return transact(
        db,
        [lockName.account(userId)],
        (trx) => pageFlows.begin<Confirming>(trx, { ...start, seconds: flowSeconds }, browser),
        guard,
      )
    },

    async find(request, account) {
      const flow = await flowOf<Confirming>(pageFlows, request, purpose)
      return flow && isOf(flow, account, sessionOf(request)) ? flow : null
    },

    async findReturning(request, id, account) {
      const flow = await pageFlows.find<Confirming>(id, knownBrowser(request), purpose)
      return flow && isOf(flow, account, flow.data.sessionId) ? flow : null
    },

    async of(request, account, change) {
      const [sessionId, browser] = [sessionOf(request), knownBrowser(request)]
      if (sessionId === null || !browser) return null
      const wanted = { purpose, step: change, userId: account.userId } as const
      const flows = await pageFlows.ofStep<Confirming>(browser, wanted)
      const own = flows
        .filter((flow) => isOf(flow, account, sessionId))
        .map((flow) => ({ flow, kinds: grants.kindsOf(flow) }))
        .toSorted((a, b) => b.kinds.length - a.kinds.length)
      return own.find(({ kinds }) => kinds.length > 0) ?? null
    },

    kindsOf({ data: { proven } }) {
      const since = clock.now() - grantMs
      const given = Object.entries(proven) as [ProofKind, number][] // written by `add`
      return given.filter(([, at]) => at > since).map(([kind]) => kind)
    },

    add(trx, flow, kinds, more = {}) {
      const now = clock.now()
      const { leaving: _, ...before } = flow.data
      const proven = { ...before.proven, ...Object.fromEntries(kinds.map((kind) => [kind, now])) }
      return pageFlows.advance<Confirming>(trx, flow, {
        step: flow.step,
        data: { ...before, proven, ...more },
      })
    },

    async use(trx, { flow }) {
      try {
        await pageFlows.end(trx, flow)
        return true
      } catch (error) {
        if (error instanceof ApiError && error.row === 'signInFailed') return false
        throw error
      }
    },
  }
  return grants

  /** False after the account's logins were ended. */
  function isOf(
    { data, userId }: Pick<ConfirmFlow, 'data' | 'userId'>,
    account: Account,
    sessionId: string | null,
  ): boolean {
    if (userId !== account.userId || data.sessionId !== sessionId) return false
    return requirements.unmet('change', { account, since: { now: account, before: data } }) === null
  }
}

function sessionOf(request: FastifyRequest): string | null {
  const { credential } = callerOf(request)
  return credential.scheme === 'session' ? credential.sessionId : null
}
