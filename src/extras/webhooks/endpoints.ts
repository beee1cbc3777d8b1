import type { Random } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, transact } from '../../core/database/transactions.ts'
import {
  type ChangeConditions,
  changeAsSeen,
  goneMeanwhile,
} from '../../core/http/changes/resource.ts'
import type { Needs } from '../../core/module/services.ts'
import { ulid } from '../../modules/audit/ulid.ts'
import type { KeySet } from '../../modules/keys/key-set.ts'
import { seal, unseal } from '../../modules/keys/seal.ts'
import {
  webhookChanged,
  webhookCreated,
  webhookDisabled,
  webhookRemoved,
  webhookSecretRotated,
} from './events.ts'
import { webhookNotFound } from './problems.ts'
import { webhookQueue } from './queue.ts'
import { type EndpointRow, type EndpointWithHealth, endpointStore } from './store.ts'

export interface EndpointSecrets {
  readonly url: string
  /** Newest first. Messages are signed with every unexpired secret. */
  readonly secrets: readonly EndpointSecret[]
}

export interface EndpointSecret {
  /** `whsec_` and 32 bytes in base64 (Standard Webhooks). */
  readonly secret: string
  /** Epoch milliseconds; null: current. */
  readonly until: number | null
}

export interface Endpoint {
  readonly id: string
  readonly url: string
  readonly description: string
  /** A final `*` matches any suffix. */
  readonly events: readonly string[]
  /** `ids`: without personal data. */
  readonly content: 'ids' | 'full'
  readonly state: 'enabled' | 'disabled' | 'failed'
  /** Epoch milliseconds. */
  readonly previousSecretUntil: number | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly health: EndpointHealth
}

/** Epoch milliseconds; null: never. */
export interface EndpointHealth {
  readonly failingSince: number | null
  readonly succeededAt: number | null
  /** Null without a response. */
  readonly status: number | null
}

export type NewEndpoint = Pick<Endpoint, 'url' | 'description' | 'events' | 'content'>

export type EndpointChanges = {
  readonly [Field in keyof NewEndpoint]?: NewEndpoint[Field] | undefined
} & { readonly state?: 'enabled' | 'disabled' | undefined }

export interface WithSecret {
  readonly endpoint: Endpoint
  /** Shown only once. */
  readonly secret: string
}

/** Input is validated before: see `target-rules.ts`. */
export interface Endpoints {
  byId(id: string): Promise<Endpoint | null>
  count(): Promise<number>
  /** Oldest first. */
  page(offset: number, limit: number): Promise<Endpoint[]>
  create(wanted: NewEndpoint, guard?: Guard): Promise<WithSecret>
  /**
   * Enabling an endpoint or changing its URL clears the health. @throws ApiError webhookNotFound,
   * preconditionFailed
   */
  change(id: string, changes: EndpointChanges, how?: ChangeConditions<Endpoint>): Promise<Endpoint>
  /**
   * Sending stops at the commit; deliveries are deleted later, in steps. @throws ApiError
   * webhookNotFound, preconditionFailed
   */
  remove(id: string, how?: ChangeConditions<Endpoint>): Promise<Endpoint>
  /**
   * The previous secret stays valid for one day; older secrets are dropped. @throws ApiError
   * webhookNotFound, preconditionFailed
   */
  rotateSecret(id: string, how?: ChangeConditions<Endpoint>): Promise<WithSecret>
  /** Returns the number of rows deleted. */
  purgeRemoved(batchSize: number): Promise<number>
}

type EndpointsDeps = Pick<Needs, 'clock' | 'db' | 'events' | 'keys' | 'random'>

export const previousSecretMs = 86_400_000
const secretBytes = 32

export function createEndpoints(deps: EndpointsDeps): Endpoints {
  const { clock, db, events, keys, random } = deps

  return {
    count: () => endpointStore(db).count(),

    async byId(id) {
      const row = await endpointStore(db).byId(id)
      return row && toEndpoint(row)
    },

    async page(offset, limit) {
      return (await endpointStore(db).page(offset, limit)).map(toEndpoint)
    },

    async create({ url, description, events: chosen, content }, guard) {
      const now = clock.now()
      const id = ulid(now, random)
      const secret = newSecret(random)
      const row: EndpointRow = {
        id,
        sealed: sealEndpoint(deps, id, { url, secrets: [{ secret, until: null }] }),
        description,
        events: JSON.stringify(chosen),
        content,
        state: 'enabled',
        created_at: now,
        updated_at: now,
      }
      const insert = async (trx: DatabaseOrTransaction) => {
        await endpointStore(trx).insert(row)
        const endpoint = toEndpoint({ ...row, ...noHealth })
        await events.emitInTransaction(trx, webhookCreated, {
          ...fieldsOf(endpoint),
          ...settingsOf(endpoint),
        })
        return { endpoint, secret }
      }
      return transact(db, [], insert, guard)
    },

    change: (id, changes, how = {}) =>
      changing(id, how, async (trx, before, row) => {
        const { state = before.state, ...fields } = changes
        const after = { ...before, ...given(fields), state, updatedAt: clock.now() }
        const changed = fieldNames.filter((name) => !isSame(before[name], after[name]))
        if (changed.length === 0) return before
        const { secrets } = openEndpoint(keys, row)
        await endpointStore(trx).update({
          ...columnsOf(row),
          sealed: sealEndpoint(deps, id, { url: after.url, secrets }),
          description: after.description,
          events: JSON.stringify(after.events),
          content: after.content,
          state,
          updated_at: after.updatedAt,
        })
        // Earlier failures do not count after a repair or a new URL.
        const isAnew = changed.includes('state') || changed.includes('url')
        if (isAnew) await endpointStore(trx).forgetHealth(id)
        if (state === 'enabled') {
          if (isAnew) await webhookQueue(trx).beginAnew(id, clock.now())
          await webhookQueue(trx).retryNow(id, clock.now())
        }
        const facts = { ...fieldsOf(after), ...settingsOf(after), changed }
        await events.emitInTransaction(trx, webhookChanged, facts)
        return isAnew ? { ...after, health: toHealth(noHealth) } : after
      }),

    remove: (id, how = {}) =>
      changing(id, how, async (trx, before, row) => {
        const updated_at = clock.now()
        const sealed = sealEndpoint(deps, id, { url: '', secrets: [] })
        await endpointStore(trx).update({ ...columnsOf(row), sealed, state: 'removed', updated_at })
        await events.emitInTransaction(trx, webhookRemoved, fieldsOf(before))
        return before
      }),

    rotateSecret: (id, how = {}) =>
      changing(id, how, async (trx, before, row) => {
        const now = clock.now()
        const previous_until = now + previousSecretMs
        const secret = newSecret(random)
        const { url, secrets } = openEndpoint(keys, row)
        const previous = secrets.slice(0, 1).map((last) => ({ ...last, until: previous_until }))
        const sealed = sealEndpoint(deps, id, {
          url,
          secrets: [{ secret, until: null }, ...previous],
        })
        await endpointStore(trx).update({ ...columnsOf(row), sealed, updated_at: now })
        await events.emitInTransaction(trx, webhookSecretRotated, {
          ...fieldsOf(before),
          previous_until,
        })
        const endpoint = { ...before, previousSecretUntil: previous_until, updatedAt: now }
        return { endpoint, secret }
      }),

    purgeRemoved: (batchSize) =>
      transact(db, [], (trx) => endpointStore(trx).purgeRemoved(batchSize)),
  }

  /** Locks the row and checks the preconditions. */
  async function changing<Done>(
    id: string,
    { isWanted, guard }: ChangeConditions<Endpoint>,
    work: (trx: DatabaseOrTransaction, before: Endpoint, row: EndpointRow) => Promise<Done>,
  ): Promise<Done> {
    const change = async (trx: DatabaseOrTransaction) => {
      const row = await endpointStore(trx).byIdForUpdate(id)
      if (!row) throw goneMeanwhile(webhookNotFound)
      const before = toEndpoint(row)
      const done = await changeAsSeen(
        { isWanted },
        { lock: async () => before, write: (as) => work(trx, as, row) },
      )
      if (done === null) throw goneMeanwhile(webhookNotFound)
      return done
    }
    return transact(db, [], change, guard)
  }

  function toEndpoint(row: EndpointWithHealth): Endpoint {
    const { url, secrets } = openEndpoint(keys, row)
    const [, previous] = secrets
    return {
      id: row.id,
      url,
      description: row.description,
      events: chosenEvents(row),
      content: row.content,
      state: row.state === 'removed' ? 'disabled' : row.state,
      previousSecretUntil: previous?.until ?? null,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      health: toHealth(row),
    }
  }
}

/** Decrypts. @throws Error if encrypted with another data key */
export function openEndpoint(
  { dataKey }: Pick<KeySet, 'dataKey'>,
  { id, sealed }: Pick<EndpointRow, 'id' | 'sealed'>,
): EndpointSecrets {
  return JSON.parse(unseal(dataKey, contextOf(id), sealed).toString()) // written by `sealEndpoint`
}

export function chosenEvents({ events }: Pick<EndpointRow, 'events'>): readonly string[] {
  return JSON.parse(events) // written by this file
}

/** Exact name, or prefix before `*`. Checkpoints are not events and match only by full name. */
export function isChosen(chosen: readonly string[], type: string): boolean {
  return chosen.some((name) =>
    name.endsWith('*') && type !== checkpointType
      ? type.startsWith(name.slice(0, -1))
      : type === name,
  )
}

/** Processes reload the endpoints after these events. */
export const webhookChanges = [webhookCreated, webhookChanged, webhookRemoved, webhookDisabled].map(
  ({ name }) => name,
)

export const checkpointType = 'audit_checkpoint'
export const testType = 'webhook_test'

type SealDeps = Pick<EndpointsDeps, 'keys' | 'random'>

function sealEndpoint({ keys, random }: SealDeps, id: string, secrets: EndpointSecrets): string {
  return seal(random, keys.dataKey, contextOf(id), Buffer.from(JSON.stringify(secrets)))
}

/** Prevents decryption in the row of another endpoint. */
function contextOf(id: string): string {
  return `webhook endpoint ${id}`
}

function newSecret(random: Random): string {
  return `whsec_${Buffer.from(random.bytes(secretBytes)).toString('base64')}`
}

const fieldNames = ['url', 'description', 'events', 'content', 'state'] as const

function fieldsOf({ id, url }: Pick<Endpoint, 'id' | 'url'>) {
  return { webhook: id, origin: new URL(url).origin }
}

function settingsOf({ events, content, state }: Endpoint) {
  return { events, content, state }
}

const noHealth = { failing_since: null, succeeded_at: null, status: null }

function toHealth(
  row: Pick<EndpointWithHealth, 'failing_since' | 'succeeded_at' | 'status'>,
): EndpointHealth {
  const { failing_since, succeeded_at, status } = row
  return { failingSince: failing_since, succeededAt: succeeded_at, status }
}

function columnsOf(row: EndpointRow): EndpointRow {
  const { id, sealed, description, events, content, state, created_at, updated_at } = row
  return { id, sealed, description, events, content, state, created_at, updated_at }
}

/** Drops undefined fields. */
function given(fields: Omit<EndpointChanges, 'state'>): Partial<NewEndpoint> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function isSame(one: Endpoint[keyof Endpoint], other: Endpoint[keyof Endpoint]): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
