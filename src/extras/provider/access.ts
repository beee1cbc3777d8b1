import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, transact } from '../../core/database/transactions.ts'
import type { Needs } from '../../core/module/services.ts'
import { isClientId } from '../../modules/clients/client-entry.ts'
import { consentStore } from './consents.ts'
import { accessWithdrawn } from './events.ts'
import { artifactStore } from './store.ts'

/** What an application has of a person. */
export interface Access {
  readonly client: string
  readonly scopes: readonly string[]
  readonly isOffline: boolean
  /** Null: it needs no consent. */
  readonly givenAt: number | null
}

/** Of applications with a consent, and of those that received something without one. */
export async function accessesOf(db: Database, userId: number): Promise<Access[]> {
  const consents = await consentStore(db).of(userId)
  const clients = await artifactStore(db).clientsOf(userId)
  const given = consents.map(({ client, scopes, givenAt }) => {
    return { client, scopes, givenAt, isOffline: scopes.includes('offline_access') }
  })
  const others = clients.filter((client) => !given.some((one) => one.client === client))
  return [
    ...given,
    ...others.map((client) => ({ client, scopes: [], givenAt: null, isOffline: false })),
  ]
}

/** With what people know the application by; the id if its client is gone. */
export function namedAccessesOf(
  { clients, db }: Pick<Needs, 'clients' | 'db'>,
  userId: number,
): Promise<(Access & { readonly name: string; readonly homeUri: string | null })[]> {
  return accessesOf(db, userId).then((accesses) =>
    Promise.all(
      accesses.map(async (access) => {
        const application = (await clients.find(access.client))?.application
        const name = application?.name ?? access.client
        return { ...access, name, homeUri: application?.homeUri ?? null }
      }),
    ),
  )
}

/** Ends all that an application has of all people; returns the number of consents. */
export async function removeClientAccess(
  trx: DatabaseOrTransaction,
  client: string,
): Promise<number> {
  const consents = await consentStore(trx).removeOfClient(client) // first, as in `withdraw`
  await artifactStore(trx).removeOfClient(client)
  return consents
}

/** Ends consent and tokens of an application; false if it had nothing, and for what is no id. */
export function withdraw(
  { db, events }: Pick<Needs, 'db' | 'events'>,
  { client, userId }: { readonly client: string; readonly userId: number },
  guard?: Guard,
): Promise<boolean> {
  const work = async (trx: DatabaseOrTransaction) => {
    if (!isClientId(client)) return false // PostgreSQL holds no NUL
    // First: it waits for requests that have read the consent, whose rows are removed then.
    const isWithdrawn = await consentStore(trx).withdraw(userId, client)
    const had = await artifactStore(trx).removeOf(userId, client)
    if (had === 0 && !isWithdrawn) return false
    await events.emitInTransaction(trx, accessWithdrawn, { user_id: userId, client })
    return true
  }
  return transact(db, [], work, guard)
}
