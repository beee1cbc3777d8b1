import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'

/** What the flows of pages are about. */
export const pagePurposes = [
  'page_sign_in',
  'page_sign_up',
  'page_reset',
  'page_verify',
  'page_invitation',
  'page_account',
  'page_confirm',
] as const
export type PagePurpose = (typeof pagePurposes)[number]

/** The browser of a request: see `browserOf`. */
export interface Browser {
  /** The value of its cookie, the same for all its flows, so that two tabs can go on. */
  readonly cookie: string
  /** The address of the client. */
  readonly address: string
}

/** The data of a flow: what JSON holds. */
export type FlowData = object

export interface FlowStart<Data extends FlowData> {
  readonly purpose: PagePurpose
  readonly step: string
  /** Stored encrypted. */
  readonly data: Data
  /** Checked by the caller; it never changes afterwards. */
  readonly returnTo: string
  /** Life of the flow. */
  readonly seconds: number
  /** The account that it is about, if that is known at the beginning. */
  readonly userId?: number | null
  readonly language?: string | null
}

/** A flow of pages as it was read. */
export interface PageFlow<Data extends FlowData = FlowData> {
  /** What `?flow=` of its pages holds: of an unstored flow, all of the flow, sealed. */
  readonly id: string
  /** What a stored flow has as its id. */
  readonly secret: string
  /** A digest of the secret, the same before and after the flow is stored. */
  readonly key: string
  readonly purpose: PagePurpose
  readonly step: string
  readonly data: Data
  /** How many wrong codes were typed since it came to this step. */
  readonly tries: number
  readonly userId: number | null
  readonly returnTo: string
  readonly language: string | null
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** What the field `csrf_token` of its forms holds. */
  readonly csrfToken: string
  /** The stored text, which shows whether the flow has changed since; null while it is unstored. */
  readonly sealed: string | null
  /** Of the request that has read it. */
  readonly browser: Browser
}

export interface FlowChange<Data extends FlowData> {
  readonly step: string
  /** As before if absent. */
  readonly data?: Data
  /** As before if absent. */
  readonly userId?: number | null
}

/**
 * The flows of pages: the step a person is at, bound to the browser that began them, so that steps
 * follow in their order alone and any process can continue. The browser carries a flow, sealed, until
 * a request with a correct proof stores the flow. docs/adr/0059, docs/adr/0077.
 */
export interface PageFlows {
  /** Begins a flow that the browser carries: nothing is stored. */
  open<Data extends FlowData>(
    start: Omit<FlowStart<Data>, 'userId'>,
    browser: Browser,
  ): PageFlow<Data>
  /**
   * Begins a stored flow, for a caller with a proof, in the transaction of the caller. That transaction
   * must hold the lock of the account, if there is one: the account may be deleted at the same time.
   * @throws ApiError serviceUnavailable if too many flows are under way
   */
  begin<Data extends FlowData>(
    db: Database | DatabaseOrTransaction,
    start: FlowStart<Data>,
    browser: Browser,
  ): Promise<PageFlow<Data>>
  /** Finds a flow of this browser; null if it is unknown, has ended, or is another's. */
  find<Data extends FlowData>(
    id: unknown,
    browser: Browser | null,
    purpose: PagePurpose,
  ): Promise<PageFlow<Data> | null>
  /** The flows of a browser and an account that are at a step, the newest first; at most 20. */
  ofStep<Data extends FlowData>(
    browser: Browser,
    wanted: { readonly purpose: PagePurpose; readonly step: string; readonly userId: number },
  ): Promise<Pick<PageFlow<Data>, 'data' | 'key' | 'sealed' | 'userId'>[]>
  /** The return address of an expired, unstored flow of this browser. */
  returnToOfExpired(id: unknown, browser: Browser | null, purpose: PagePurpose): string | null
  /**
   * Takes the flow to another step (or the same one with other data), in the caller's transaction,
   * after a correct proof: an unstored flow is stored. The count of tries starts again. Answers the flow
   * as the next request finds it.
   * @throws ApiError signInFailed if another request has changed or ended it since it was read;
   * serviceUnavailable if too many flows are under way
   */
  advance<Data extends FlowData, Next extends FlowData = Data>(
    trx: DatabaseOrTransaction,
    flow: PageFlow<Data>,
    change: FlowChange<Next>,
  ): Promise<PageFlow<Next>>
  /** The same after a request without a proof: an unstored flow stays unstored. */
  advanceUnproven<Data extends FlowData>(
    db: DatabaseOrTransaction,
    flow: PageFlow<Data>,
    change: Omit<FlowChange<Data>, 'userId'>,
  ): Promise<PageFlow<Data>>
  /**
   * Counts a try in a transaction of its own, so that it stays counted if the request fails. Answers
   * how many there were at this step.
   * @throws ApiError signInFailed if the flow has ended
   */
  countTry(flow: Pick<PageFlow, 'key'>): Promise<number>
  /**
   * Ends the flow, in the caller's transaction. Has no effect on an unstored flow: its next step needs a
   * proof anyway.
   * @throws ApiError signInFailed if another request has changed or ended it since it was read
   */
  end(trx: DatabaseOrTransaction, flow: Pick<PageFlow, 'key' | 'sealed'>): Promise<void>
  /** Asserts the field `csrf_token` of a form. @throws ApiError csrfTokenInvalid */
  assertForm(flow: Pick<PageFlow, 'csrfToken'>, sent: unknown): void
  /** Deletes up to `batchSize` expired flows; answers how many. */
  purge(batchSize: number): Promise<number>
}

/** The refusal of a form whose flow is unknown, has ended, or has gone on in another request. */
export function flowExpired(code: 'page_flow_unknown' | 'page_flow_moved_on'): ApiError {
  return new ApiError('signInFailed', { reason: { code } })
}
