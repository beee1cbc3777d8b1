import { randomText } from '../src/core/crypto/random.ts'
import { transact } from '../src/core/database/transactions.ts'
import {
  type Confirmations,
  createConfirmations,
} from '../src/extras/one-time-tokens/confirmations.ts'
import { createConfirmationSecrets } from '../src/extras/one-time-tokens/secrets.ts'
import { confirmationStore } from '../src/extras/one-time-tokens/store.ts'
import { loadKeySet } from '../src/modules/keys/key-set.ts'
import type { TestApp } from './app.ts'

type Wanted = Parameters<Confirmations['begin']>[1]

/** The service of confirmations on the database of a running one. */
export async function confirmationsOf({ deps }: Pick<TestApp, 'deps'>) {
  const keys = await loadKeySet(deps)
  const confirmations = createConfirmations({ ...deps, keys })
  const idBytes = 16
  /** Begins one, with a row of the outbox as the mail of a reset has it. */
  const begin = (
    wanted: Partial<Wanted> & Pick<Wanted, 'purpose'>,
    state: 'waiting' | 'dropped' = 'waiting',
  ) =>
    transact(deps.db, [], async (trx) => {
      const begun = await confirmations.begin(trx, {
        asked: 'ann@example.org',
        userId: null,
        address: { address: 'Ann@example.org', key: 'ann@example.org' },
        version: 0,
        flow: null,
        language: 'en',
        ...wanted,
      })
      const { confirmation, flow, expiresAt } = begun.mail
      const now = deps.clock.now()
      await trx
        .insertInto('mails')
        .values({
          id: randomText(deps.random, idBytes),
          ...{ message: 'reset', kind: 'request', state, user_id: null, sealed: null },
          ...{ confirmation, flow, address_index: '', client_index: null, priority: 0 },
          ...{ due_at: now, ready_at: null, created_at: now, expires_at: expiresAt },
        })
        .execute()
      return begun
    })
  /** The confirmation and the flow of an id, which is that of a program's answer or of a row. */
  const named = async (id: string, flow: string | null) => {
    if (flow === null) {
      const [mail] = await confirmationStore(deps.db).mailsOf(id)
      if (mail?.confirmation) return { confirmation: mail.confirmation, flow: id }
    }
    const row = await deps.db
      .selectFrom('confirmations')
      .select('id')
      .where('flow', '=', id)
      .executeTakeFirst()
    return { confirmation: row?.id ?? id, flow }
  }
  const secretsOf = async (id: string, flow: string | null = null) => {
    const of = await named(id, flow)
    return confirmations.secretsOf(of.confirmation, of.flow)
  }
  return {
    ...confirmations,
    secretsOf,
    secrets: createConfirmationSecrets(keys),
    begin,
    inTransaction: <T>(work: (trx: typeof deps.db) => Promise<T>) =>
      transact(deps.db, [], (trx) => work(trx as typeof deps.db)),
    stored: async (id: string) =>
      confirmationStore(deps.db).find((await named(id, null)).confirmation),
    /** How many codes were typed in a flow. */
    triesOf: async (flow: string) =>
      (await confirmationStore(deps.db).mailsOf(flow)).reduce((sum, { tries }) => sum + tries, 0),
    /** Token and code of one that counts. */
    async mailed(id: string, flow: string | null = null) {
      const mailed = await secretsOf(id, flow)
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
    .select(['confirmation', 'flow', 'user_id'])
    .where('message', '=', message)
    .where('state', '=', 'waiting')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.confirmation ? them.secretsOf(row.confirmation, row.flow) : null
}
