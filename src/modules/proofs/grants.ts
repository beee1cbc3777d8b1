import type { FastifyRequest } from 'fastify'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Account } from '../authentication/account.ts'
import type { ProofKind, ProtectedChange } from '../authentication/proof-kinds.ts'
import type { Requirements } from '../authentication/requirements.ts'
import type { Browser, PageFlow, PageFlows } from '../flows/flows.ts'
import { flowOf, knownBrowser } from '../flows/requests.ts'

/** What a flow of the confirmation page holds. */
export interface Confirming {
  readonly change: ProtectedChange
  /** The session that has asked, and the version of its account: no other may use the proofs. */
  readonly sessionId: string
  readonly refreshVersion: number
  /** The form to continue with; null if a request of the API asked for the confirmation. */
  readonly form: FormInput | null
  /** When each proof was given, in epoch milliseconds. */
  readonly proven: Readonly<Partial<Record<ProofKind, number>>>
  /** The confirmation whose code was mailed. */
  readonly mail?: string
  /** The provider to which the browser is sent, and the address. */
  readonly leaving?: { readonly provider: string; readonly url: string }
}

export interface FormInput {
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

export type ConfirmFlow = PageFlow<Confirming>

/** The proofs that a page has taken for one change, in one session and one browser. */
export interface Grant {
  readonly flow: Pick<ConfirmFlow, 'key' | 'sealed'>
  readonly kinds: readonly ProofKind[]
}

/**
 * The flows of the confirmation page. The proofs of a flow count for five minutes, for its change,
 * its session and the browser of its cookie, and until the change is made. docs/adr/0073
 */
export interface Grants {
  /** Begins a flow. @throws ApiError serviceUnavailable if too many flows are under way */
  begin(
    account: Account,
    wanted: Pick<Confirming, 'change' | 'form' | 'sessionId'>,
    browser: Browser,
    guard?: Guard,
  ): Promise<ConfirmFlow>
  /** The flow that `?flow=` names, of this session and browser; null if it is unknown or has ended. */
  find(request: FastifyRequest, account: Account): Promise<ConfirmFlow | null>
  /** The same by its id, for a browser that comes back from a provider, without its session. */
  findReturning(request: FastifyRequest, id: unknown, account: Account): Promise<ConfirmFlow | null>
  /** The proofs that a page has taken for a change of this request; null if there are none. */
  of(request: FastifyRequest, account: Account, change: ProtectedChange): Promise<Grant | null>
  /** The proofs of a flow that still count. */
  kindsOf(flow: Pick<ConfirmFlow, 'data'>): ProofKind[]
  /** Adds proofs that were given now, and other changes of the flow, in the caller's transaction. */
  add(
    trx: DatabaseOrTransaction,
    flow: ConfirmFlow,
    kinds: readonly ProofKind[],
    more?: Pick<Confirming, 'leaving' | 'mail'>,
  ): Promise<ConfirmFlow>
  /** Uses the proofs up, in the transaction of the change; false if another request has. */
  use(trx: DatabaseOrTransaction, grant: Grant): Promise<boolean>
}

export interface GrantsDeps {
  readonly clock: Clock
  readonly db: Database
  readonly pageFlows: Pick<PageFlows, 'advance' | 'begin' | 'end' | 'find' | 'ofStep'>
  readonly requirements: Pick<Requirements, 'unmet'>
}

const purpose = 'page_confirm'
/** How long a proof of a page counts. */
const grantMs = 300_000
// A mail may take a while, and so may a sign-in at a provider.
const flowSeconds = 900

export function createGrants({ clock, db, pageFlows, requirements }: GrantsDeps): Grants {
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

  /** Whether the flow belongs to the session, and no logins of the account have ended since. */
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
