import type { EmailAddress } from '../src/core/addresses/email.ts'
import type { Events } from '../src/core/events/events.ts'
import type { Needs } from '../src/core/module/services.ts'
import { createConfirmations } from '../src/extras/one-time-tokens/confirmations.ts'
import type { Account } from '../src/modules/authentication/account.ts'
import { fixedClock } from './clock.ts'
import { loadConfig } from './config.ts'
import { seededRandom } from './random.ts'
import { databaseWithAccounts } from './stores.ts'

/** The account that a sign-up makes. */
export const madeId = 3

/** What sign-ups need, on a database of their own; events and mails are collected. */
export async function signUpDeps(env: Record<string, string> = {}) {
  const db = await databaseWithAccounts(madeId)
  const roles = [1, 2].map((account) => ({ account, role: 'ADMIN' }))
  await db.insertInto('role_assignments').values(roles).execute()
  const clock = fixedClock()
  const random = seededRandom(1)
  const keys = { dataKey: Buffer.alloc(32, 1) } as unknown as Needs['keys'] // what they read
  const config = loadConfig({
    SMTP_URL: 'smtp://127.0.0.1:25',
    MAIL_FROM: 'id@example.org',
    ...env,
  })
  const base = { db, asyncCommitDb: db, clock, random, keys, config }
  const confirmations = createConfirmations(base)
  const happened: [string, object][] = []
  const mails: { readonly message: string; readonly confirmation?: string }[] = []
  const made: object[] = []
  const outbox = {
    isAvailable: true,
    add: async (_trx: unknown, mail: (typeof mails)[number]) => void mails.push(mail),
  }
  const deps = {
    ...base,
    confirmations,
    outbox: outbox as unknown as Needs['outbox'], // what they call
    events: {
      emitInTransaction: async (_trx: unknown, { name }: { name: string }, payload: object) =>
        void happened.push([name, payload]),
    } as unknown as Events,
    accountFields: () => [],
    takenUsernames: { attempt: <T>(_of: object, work: () => Promise<T>) => work() },
    accounts: {
      async prepare({ also, ...wanted }: Parameters<Needs['accounts']['prepare']>[0]) {
        return async (trx = db) => {
          await also?.(trx, madeId)
          made.push(wanted)
          return { userId: madeId, username: wanted.username } as unknown as Account
        }
      },
    },
  }
  /** The token of the newest mail. */
  const token = async () => {
    const mailed = await confirmations.secretsOf(mails.at(-1)?.confirmation ?? '', null)
    if (!mailed) throw new Error('the newest mail has no link that counts')
    return mailed.token
  }
  return { ...deps, outbox, deps, happened, mails, made, token }
}

export function addressOf(name: string): EmailAddress {
  return { address: `${name}@example.org`, key: `${name.toLowerCase()}@example.org` }
}
