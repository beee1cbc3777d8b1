import { throttledAddress } from '../../core/addresses/address.ts'
import { derivedKey, digest, equalInConstantTime, keyedDigest } from '../../core/crypto/digest.ts'
import { randomText } from '../../core/crypto/random.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Needs } from '../../core/module/services.ts'
import { seal, unseal } from '../keys/seal.ts'
import { createCarriedFlows } from './carried.ts'
import {
  type Browser,
  type FlowChange,
  type FlowData,
  type FlowStart,
  flowExpired,
  type PageFlow,
  type PageFlows,
  type PagePurpose,
} from './flows.ts'
import { createFlowLimit } from './limit.ts'
import { flowStore, purgeFlows, type StoredFlow } from './store.ts'

export type PageFlowsDeps = Pick<Needs, 'asyncCommitDb' | 'clock' | 'db' | 'keys' | 'random'>

type FlowState<Data extends FlowData> = Omit<
  PageFlow<Data>,
  'id' | 'secret' | 'key' | 'browser' | 'csrfToken'
>

const secretBytes = 32
const secretFormat = /^[A-Za-z0-9_-]{43}$/
const unstored = { tries: 0, userId: null, sealed: null } as const

export function createPageFlows({
  db,
  asyncCommitDb,
  clock,
  random,
  keys,
}: PageFlowsDeps): PageFlows {
  const store = flowStore(db)
  const carried = createCarriedFlows({ keys, random })
  const formKey = derivedKey(keys.dataKey, 'page forms')
  const limit = createFlowLimit({
    clock,
    what: 'flows of pages',
    reason: 'too_many_page_flows',
  })

  return {
    open<Data extends FlowData>(start: Omit<FlowStart<Data>, 'userId'>, browser: Browser) {
      const { purpose, step, data, returnTo, seconds, language = null } = start
      const secret = randomText(random, secretBytes)
      const held = { secret, step, data, returnTo, language, expiresAt: endOf(seconds) }
      const id = carried.seal(held, purpose, browser)
      return flowOf<Data>({ id, secret, browser }, { ...held, ...unstored, purpose })
    },

    async begin<Data extends FlowData>(
      given: Database | DatabaseOrTransaction,
      start: FlowStart<Data>,
      browser: Browser,
    ) {
      const { purpose, step, data, returnTo, seconds, userId = null, language = null } = start
      const secret = randomText(random, secretBytes)
      const held = { purpose, step, data, returnTo, language, expiresAt: endOf(seconds) }
      const flow = flowOf<Data>({ id: secret, secret, browser }, { ...held, ...unstored, userId })
      const work = (trx: DatabaseOrTransaction) => insert(trx, flow)
      return given.isTransaction ? work(given) : transact(db, [], work)
    },

    async find<Data extends FlowData>(id: unknown, browser: Browser | null, purpose: PagePurpose) {
      if (typeof id !== 'string' || !browser) return null
      const held = secretFormat.test(id) ? null : carried.open<Data>(id, purpose, browser)
      const secret = held?.secret ?? id
      if (!secretFormat.test(secret)) return null
      const now = clock.now()
      const key = { id: digest(secret), browser: digest(browser.cookie) }
      const stored = await store.find(key, { purpose, now })
      if (stored) {
        const data = dataOf<Data>(stored)
        return flowOf<Data>({ id: secret, secret, browser }, { ...stored, purpose, data })
      }
      if (!held || held.expiresAt <= now) return null
      return flowOf<Data>({ id, secret, browser }, { ...held, ...unstored, purpose })
    },

    async ofStep<Data extends FlowData>(
      { cookie }: Browser,
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

    returnToOfExpired(id, browser, purpose) {
      if (typeof id !== 'string' || !browser) return null
      const held = carried.open(id, purpose, browser)
      return held && held.expiresAt <= clock.now() ? held.returnTo : null
    },

    advance,

    async advanceUnproven<Data extends FlowData>(
      trx: DatabaseOrTransaction,
      flow: PageFlow<Data>,
      change: Omit<FlowChange<Data>, 'userId'>,
    ) {
      if (flow.sealed !== null) return advance<Data, Data>(trx, flow, change)
      const next = { ...flow, ...change }
      return { ...next, id: carried.seal(next, flow.purpose, flow.browser) }
    },

    async countTry({ key }) {
      const tries = await store.countTry(key, clock.now())
      if (tries === null) throw flowExpired('page_flow_unknown')
      return tries
    },

    async end(trx, { key, sealed }) {
      if (sealed !== null && !(await flowStore(trx).remove({ id: key, sealed }))) {
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

  function endOf(seconds: number): number {
    return clock.now() + seconds * 1000
  }

  async function advance<Data extends FlowData, Next extends FlowData = Data>(
    trx: DatabaseOrTransaction,
    flow: PageFlow<Data>,
    { step, data, userId = flow.userId }: FlowChange<Next>,
  ): Promise<PageFlow<Next>> {
    const next = {
      ...flow,
      step,
      data: data ?? (flow.data as unknown as Next), // without data, Next is Data
      userId,
      tries: 0,
    }
    if (flow.sealed === null) return insert(trx, next)
    const sealed = sealOf(flow.key, next.data)
    const isChanged = await flowStore(trx).advance(
      { id: flow.key, sealed: flow.sealed },
      { step, sealed, userId, tries: 0 },
      clock.now(),
    )
    if (!isChanged) throw flowExpired('page_flow_moved_on')
    return { ...next, sealed }
  }

  /** Beyond a limit, removes the oldest flows of the account or address. */
  async function insert<Data extends FlowData>(
    trx: DatabaseOrTransaction,
    flow: PageFlow<Data>,
  ): Promise<PageFlow<Data>> {
    if (flow.expiresAt <= clock.now()) throw flowExpired('page_flow_unknown')
    const { browser, data, key, secret, userId } = flow
    const stored: StoredFlow = {
      id: key,
      browser: digest(browser.cookie),
      purpose: flow.purpose,
      provider: '',
      userId,
      sealed: sealOf(key, data),
      returnTo: flow.returnTo,
      expiresAt: flow.expiresAt,
      address: userId === null ? throttledAddress(browser.address) : '',
      step: flow.step,
      tries: 0,
      language: flow.language,
    }
    await limit.assertRoom(trx, stored)
    if (!(await flowStore(trx).insert(stored))) throw flowExpired('page_flow_moved_on')
    await limit.removeOldest(trx, stored)
    return { ...flow, id: secret, sealed: stored.sealed }
  }

  function sealOf(key: string, data: FlowData): string {
    return seal(random, keys.dataKey, contextOf(key), Buffer.from(JSON.stringify(data)))
  }

  function dataOf<Data extends FlowData>({ id, sealed }: StoredFlow): Data {
    return JSON.parse(unseal(keys.dataKey, contextOf(id), sealed).toString())
  }

  function flowOf<Data extends FlowData>(
    { id, secret, browser }: Pick<PageFlow, 'id' | 'secret' | 'browser'>,
    state: FlowState<Data>,
  ): PageFlow<Data> {
    return {
      id,
      secret,
      key: digest(secret),
      browser,
      purpose: state.purpose,
      step: state.step,
      data: state.data,
      tries: state.tries,
      userId: state.userId,
      returnTo: state.returnTo,
      language: state.language,
      expiresAt: state.expiresAt,
      sealed: state.sealed,
      csrfToken: keyedDigest(formKey, `${browser.cookie}|${secret}`),
    }
  }
}

/** Binds data to the row: another row belongs to another browser. */
function contextOf(key: string): string {
  return `page flow:${key}`
}
