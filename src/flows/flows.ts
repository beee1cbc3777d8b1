import { throttledAddress } from '../addresses/address.ts'
import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { transact } from '../database/transactions.ts'
import type { Clock } from '../kernel/clock.ts'
import { derivedKey, digest, equalInConstantTime, keyedDigest } from '../kernel/digest.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Random, randomText } from '../kernel/random.ts'
import type { KeySet } from '../keys/key-set.ts'
import { seal, unseal } from '../keys/seal.ts'
import { createFlowLimit, maxPerAccount, maxPerAddress } from './limit.ts'
import { flowStore, purgeFlows, type StoredFlow } from './store.ts'

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
  /** What `?flow=` of its pages holds. */
  readonly id: string
  /** What is stored of it: a digest of the id. */
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
  /** Its text in the database, by which a change since then shows. */
  readonly sealed: string
}

export interface FlowChange<Data extends FlowData> {
  readonly step: string
  /** As before if absent. */
  readonly data?: Data
  /** As before if absent. */
  readonly userId?: number | null
}

/**
 * The flows of pages: rows that hold the step a person is at, bound to the browser that began them,
 * so that steps follow in their order alone and any process can go on. docs/adr/0059.
 */
export interface PageFlows {
  /**
   * Begins a flow. In a transaction of the caller that must hold the lock of the account if there is
   * one, since the account may be deleted meanwhile.
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
    browser: Pick<Browser, 'cookie'> | null,
    purpose: PagePurpose,
  ): Promise<PageFlow<Data> | null>
  /** The flows of a browser and an account that are at a step, the newest first; at most 20. */
  ofStep<Data extends FlowData>(
    browser: Pick<Browser, 'cookie'>,
    wanted: { readonly purpose: PagePurpose; readonly step: string; readonly userId: number },
  ): Promise<Pick<PageFlow<Data>, 'data' | 'key' | 'sealed' | 'userId'>[]>
  /**
   * Takes the flow to another step (or the same one with other data), in the caller's transaction.
   * Tries are counted anew. Answers it as it is now.
   * @throws ApiError signInFailed if another request has changed or ended it since it was read
   */
  advance<Data extends FlowData, Next extends FlowData = Data>(
    trx: DatabaseOrTransaction,
    flow: PageFlow<Data>,
    change: FlowChange<Next>,
  ): Promise<PageFlow<Next>>
  /**
   * Counts a try in a transaction of its own, so that it stays counted if the request fails. Answers
   * how many there were at this step.
   * @throws ApiError signInFailed if the flow has ended
   */
  countTry(flow: Pick<PageFlow, 'key'>): Promise<number>
  /**
   * Ends the flow, in the caller's transaction.
   * @throws ApiError signInFailed if another request has changed or ended it since it was read
   */
  end(trx: DatabaseOrTransaction, flow: Pick<PageFlow, 'key' | 'sealed'>): Promise<void>
  /** Asserts the field `csrf_token` of a form. @throws ApiError csrfTokenInvalid */
  assertForm(flow: Pick<PageFlow, 'csrfToken'>, sent: unknown): void
  /** Deletes up to `batchSize` expired flows; answers how many. */
  purge(batchSize: number): Promise<number>
}

export interface PageFlowsDeps {
  readonly db: Database
  /** For purges, which may be lost with the power. */
  readonly asyncCommitDb: Database
  readonly clock: Clock
  readonly random: Random
  readonly keys: Pick<KeySet, 'dataKey'>
}

const secretBytes = 32
const idFormat = /^[A-Za-z0-9_-]{43}$/

export function createPageFlows({
  db,
  asyncCommitDb,
  clock,
  random,
  keys,
}: PageFlowsDeps): PageFlows {
  const store = flowStore(db)
  const formKey = derivedKey(keys.dataKey, 'page forms')
  const assertBelowLimit = createFlowLimit({
    clock,
    purposes: pagePurposes,
    what: 'flows of pages',
    reason: 'too_many_page_flows',
  })

  return {
    async begin<Data extends FlowData>(
      given: Database | DatabaseOrTransaction,
      { purpose, step, data, returnTo, seconds, userId = null, language = null }: FlowStart<Data>,
      { cookie, address }: Browser,
    ) {
      await assertBelowLimit(given)
      const id = randomText(random, secretBytes)
      const key = digest(id)
      const stored: StoredFlow = {
        id: key,
        browser: digest(cookie),
        purpose,
        provider: '',
        userId,
        sealed: sealOf(key, data),
        returnTo,
        expiresAt: clock.now() + seconds * 1000,
        address: userId === null ? throttledAddress(address) : '',
        step,
        tries: 0,
        language,
      }
      const keep = async (trx: DatabaseOrTransaction) => {
        await flowStore(trx).insert(stored)
        await flowStore(trx).bound(stored, userId === null ? maxPerAddress : maxPerAccount)
      }
      await (given.isTransaction ? keep(given) : transact(db, [], keep))
      return opened<Data>(id, stored, cookie, data)
    },

    async find<Data extends FlowData>(
      id: unknown,
      browser: Pick<Browser, 'cookie'> | null,
      purpose: PagePurpose,
    ) {
      if (typeof id !== 'string' || !idFormat.test(id) || !browser) return null
      const key = { id: digest(id), browser: digest(browser.cookie) }
      const stored = await store.find(key, { purpose, now: clock.now() })
      if (!stored) return null
      return opened<Data>(id, stored, browser.cookie, dataOf<Data>(stored))
    },

    async ofStep<Data extends FlowData>(
      { cookie }: Pick<Browser, 'cookie'>,
      wanted: { purpose: PagePurpose; step: string; userId: number },
    ) {
      const flows = await store.ofStep({ ...wanted, browser: digest(cookie), now: clock.now() })
      return flows.map((stored) => ({
        data: dataOf<Data>(stored),
        key: stored.id,
        sealed: stored.sealed,
        userId: stored.userId,
      }))
    },

    async advance<Data extends FlowData, Next extends FlowData = Data>(
      trx: DatabaseOrTransaction,
      flow: PageFlow<Data>,
      { step, data, userId = flow.userId }: FlowChange<Next>,
    ) {
      const now = data ?? (flow.data as unknown as Next) // without data, Next is Data
      const sealed = sealOf(flow.key, now)
      const change = { step, sealed, userId, tries: 0 }
      const isChanged = await flowStore(trx).advance(
        { id: flow.key, sealed: flow.sealed },
        change,
        clock.now(),
      )
      if (!isChanged) throw flowExpired('page_flow_moved_on')
      return { ...flow, ...change, data: now }
    },

    async countTry({ key }) {
      const tries = await store.countTry(key, clock.now())
      if (tries === null) throw flowExpired('page_flow_unknown')
      return tries
    },

    async end(trx, { key, sealed }) {
      if (!(await flowStore(trx).remove({ id: key, sealed }))) {
        throw flowExpired('page_flow_moved_on')
      }
    },

    assertForm({ csrfToken }, sent) {
      if (typeof sent === 'string' && equalInConstantTime(sent, csrfToken)) return
      throw new ApiError('csrfTokenInvalid', {
        reason: { code: sent ? 'csrf_token_other' : 'csrf_token_absent' },
      })
    },

    purge: (batchSize) => purgeFlows(asyncCommitDb, clock.now(), batchSize),
  }

  function sealOf(key: string, data: FlowData): string {
    return seal(random, keys.dataKey, contextOf(key), Buffer.from(JSON.stringify(data)))
  }

  function dataOf<Data extends FlowData>({ id, sealed }: StoredFlow): Data {
    return JSON.parse(unseal(keys.dataKey, contextOf(id), sealed).toString()) // written by `sealOf`
  }

  function opened<Data extends FlowData>(
    id: string,
    stored: StoredFlow,
    cookie: string,
    data: Data,
  ): PageFlow<Data> {
    return {
      id,
      key: stored.id,
      purpose: stored.purpose as PagePurpose, // as it was found by
      step: stored.step,
      data,
      tries: stored.tries,
      userId: stored.userId,
      returnTo: stored.returnTo,
      language: stored.language,
      expiresAt: stored.expiresAt,
      csrfToken: keyedDigest(formKey, `${cookie}|${id}`),
      sealed: stored.sealed,
    }
  }
}

/** The refusal of a form whose flow is unknown, has ended, or has gone on in another request. */
export function flowExpired(code: 'page_flow_unknown' | 'page_flow_moved_on'): ApiError {
  return new ApiError('signInFailed', { reason: { code } })
}

/** Binds the data to their row: those of another row belong to another browser. */
function contextOf(key: string): string {
  return `page flow:${key}`
}
