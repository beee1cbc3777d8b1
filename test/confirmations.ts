import { type Confirmations, createConfirmations } from '../src/confirmations/confirmations.ts'
import { createConfirmationSecrets } from '../src/confirmations/secrets.ts'
import { confirmationStore } from '../src/confirmations/store.ts'
import { transact } from '../src/database/transactions.ts'
import { loadKeySet } from '../src/keys/key-set.ts'
import type { TestApp } from './app.ts'

type Wanted = Parameters<Confirmations['begin']>[1]

/** The service of confirmations on the database of a running one. */
export async function confirmationsOf({ deps }: Pick<TestApp, 'deps'>) {
  const keys = await loadKeySet(deps)
  const confirmations = createConfirmations({ ...deps, keys })
  const begin = (wanted: Partial<Wanted> & Pick<Wanted, 'purpose'>) =>
    transact(deps.db, [], (trx) =>
      confirmations.begin(trx, {
        asked: 'ann@example.org',
        userId: null,
        address: { address: 'Ann@example.org', key: 'ann@example.org' },
        version: 0,
        flow: null,
        language: 'en',
        ...wanted,
      }),
    )
  return {
    ...confirmations,
    secrets: createConfirmationSecrets(keys),
    begin,
    inTransaction: <T>(work: (trx: typeof deps.db) => Promise<T>) =>
      transact(deps.db, [], (trx) => work(trx as typeof deps.db)),
    stored: (id: string) => confirmationStore(deps.db).find(id),
    /** Token and code of one that counts. */
    async mailed(id: string, flow?: string | null) {
      const mailed = await confirmations.secretsOf(id, flow)
      if (!mailed) throw new Error(`nothing would be mailed for ${id}`)
      return mailed
    },
  }
}

/** A code that is not the given one. */
export function otherCode(code: string, by = 1): string {
  return String((Number(code) + by) % 100_000_000).padStart(8, '0')
}

/** Token and code of the newest mail of a message that would be sent; null if there is none. */
export async function newestMail(
  { deps }: Pick<TestApp, 'deps'>,
  them: Pick<Confirmations, 'secretsOf'>,
  message: string,
) {
  const row = await deps.db
    .selectFrom('mails')
    .select(['confirmation', 'user_id'])
    .where('message', '=', message)
    .where('state', '=', 'waiting')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.confirmation ? them.secretsOf(row.confirmation) : null
}
