import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'

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

export interface Browser {
  /** The cookie value, shared by all flows of the browser. */
  readonly cookie: string
  readonly address: string
}

/** Must be JSON-serializable. */
export type FlowData = object

export interface FlowStart<Data extends FlowData> {
  readonly purpose: PagePurpose
  readonly step: string
  /** Stored encrypted. */
  readonly data: Data
  /** Checked by the caller; never changes. */
  readonly returnTo: string
  readonly seconds: number
  /** If known at the start. */
  readonly userId?: number | null
  readonly language?: string | null
}

export interface PageFlow<Data extends FlowData = FlowData> {
  /** The value of `?flow=`; contains the whole sealed flow if unstored. */
  readonly id: string
  /** The id if stored. */
  readonly secret: string
  /** A digest of the secret; storing does not change it. */
  readonly key: string
  readonly purpose: PagePurpose
  readonly step: string
  readonly data: Data
  /** Wrong codes at this step. */
  readonly tries: number
  readonly userId: number | null
  readonly returnTo: string
  readonly language: string | null
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly csrfToken: string
  /** The stored text, to detect concurrent changes; null while unstored. */
  readonly sealed: string | null
  readonly browser: Browser
}

export interface FlowChange<Data extends FlowData> {
  readonly step: string
  /** Default: unchanged. */
  readonly data?: Data
  /** Default: unchanged. */
  readonly userId?: number | null
}

/**
 * Page flows: the current step of a person, bound to one browser. Steps run only in order, and any
 * process can continue. The browser carries the sealed flow until a correct proof stores the flow.
 * docs/adr/0059, docs/adr/0077.
 */
export interface PageFlows {
  /** Stores nothing. */
  open<Data extends FlowData>(
    start: Omit<FlowStart<Data>, 'userId'>,
    browser: Browser,
  ): PageFlow<Data>
  /**
   * Begins a stored flow after a proof. The transaction must lock the account, which may be deleted
   * concurrently. @throws ApiError serviceUnavailable at the flow limit
   */
  begin<Data extends FlowData>(
    db: Database | DatabaseOrTransaction,
    start: FlowStart<Data>,
    browser: Browser,
  ): Promise<PageFlow<Data>>
  /** Null if unknown, ended, or of another browser. */
  find<Data extends FlowData>(
    id: unknown,
    browser: Browser | null,
    purpose: PagePurpose,
  ): Promise<PageFlow<Data> | null>
  /** Newest first; at most 20. */
  ofStep<Data extends FlowData>(
    browser: Browser,
    wanted: { readonly purpose: PagePurpose; readonly step: string; readonly userId: number },
  ): Promise<Pick<PageFlow<Data>, 'data' | 'key' | 'sealed' | 'userId'>[]>
  /** Only for unstored flows of this browser. */
  returnToOfExpired(id: unknown, browser: Browser | null, purpose: PagePurpose): string | null
  /**
   * Moves the flow to a step after a correct proof, stores the flow and resets the tries. @throws
   * ApiError signInFailed after a concurrent change or end; serviceUnavailable at the flow limit
   */
  advance<Data extends FlowData, Next extends FlowData = Data>(
    trx: DatabaseOrTransaction,
    flow: PageFlow<Data>,
    change: FlowChange<Next>,
  ): Promise<PageFlow<Next>>
  /** Without a proof: an unstored flow stays unstored. */
  advanceUnproven<Data extends FlowData>(
    db: DatabaseOrTransaction,
    flow: PageFlow<Data>,
    change: Omit<FlowChange<Data>, 'userId'>,
  ): Promise<PageFlow<Data>>
  /**
   * Uses its own transaction, so that the count survives a failed request. Returns the tries at
   * this step. @throws ApiError signInFailed if the flow has ended
   */
  countTry(flow: Pick<PageFlow, 'key'>): Promise<number>
  /**
   * No effect on an unstored flow: its next step needs a proof anyway. @throws ApiError
   * signInFailed after a concurrent change or end
   */
  end(trx: DatabaseOrTransaction, flow: Pick<PageFlow, 'key' | 'sealed'>): Promise<void>
  /** @throws ApiError csrfTokenInvalid */
  assertForm(flow: Pick<PageFlow, 'csrfToken'>, sent: unknown): void
  /** Deletes up to `batchSize` expired flows; returns the count. */
  purge(batchSize: number): Promise<number>
}

export function flowExpired(code: 'page_flow_unknown' | 'page_flow_moved_on'): ApiError {
  return new ApiError('signInFailed', { reason: { code } })
}
