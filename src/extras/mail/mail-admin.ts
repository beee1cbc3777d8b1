import type { EmailAddress } from '../../core/addresses/email.ts'
import { afterCommit } from '../../core/database/commit.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { mailCancelled, mailResent, mailTested } from './events.ts'
import { type MailFilters, type MailRow, mailAdminStore } from './mail-admin-store.ts'
import { assertMail } from './outbox.ts'
import { mailClosed, mailNotFound } from './problems.ts'
import { createSealedMail } from './sealed-mail.ts'

/** Shows no links and codes. */
export interface MailAdmin {
  count(filters: MailFilters): Promise<number>
  /** Newest first. */
  page(filters: MailFilters, offset: number, limit: number): Promise<ShownMail[]>
  /** @throws ApiError mailNotFound, mailClosed */
  resend(id: string, guard?: Guard): Promise<ShownMail>
  /** @throws ApiError mailNotFound, mailClosed */
  cancel(id: string, guard?: Guard): Promise<ShownMail>
  /** @throws ApiError mailUnavailable */
  test(
    to: { readonly address: EmailAddress; readonly language: Language },
    guard?: Guard,
  ): Promise<ShownMail>
}

export interface ShownMail extends MailRow {
  /** Null once wiped. */
  readonly address: string | null
}

const testMs = 3_600_000

export function createMailAdmin(
  deps: Pick<Needs, 'clock' | 'db' | 'events' | 'keys' | 'outbox' | 'random'>,
): MailAdmin {
  const { clock, db, events, outbox } = deps
  const sealedMail = createSealedMail(deps)

  return {
    count: (filters) => mailAdminStore(db).count(filters),

    async page(filters, offset, limit) {
      return shown(db, await mailAdminStore(db).page(filters, offset, limit))
    },

    resend: (id, guard) =>
      changed(id, guard, async (trx, fields) => {
        if (!(await mailAdminStore(trx).resend(id, clock.now()))) return false
        await events.emitInTransaction(trx, mailResent, fields)
        afterCommit(trx, outbox.wake)
        return true
      }),

    cancel: (id, guard) =>
      changed(id, guard, async (trx, fields) => {
        if (!(await mailAdminStore(trx).cancel(id, clock.now()))) return false
        await events.emitInTransaction(trx, mailCancelled, fields)
        return true
      }),

    async test({ address, language }, guard) {
      assertMail(outbox)
      return transact(
        db,
        [],
        async (trx) => {
          const now = clock.now()
          const id = await outbox.add(trx, {
            message: 'test',
            to: { address },
            facts: { at: now },
            language,
            expiresAt: now + testMs,
          })
          await events.emitInTransaction(trx, mailTested, { mail: id })
          return found(trx, id)
        },
        guard,
      )
    },
  }

  type Fields = { readonly mail: string; readonly message: string; readonly user_id: number | null }

  function changed(
    id: string,
    guard: Guard | undefined,
    change: (trx: DatabaseOrTransaction, fields: Fields) => Promise<boolean>,
  ): Promise<ShownMail> {
    return transact(
      db,
      [],
      async (trx) => {
        const { message, state, user_id } = await found(trx, id)
        if (await change(trx, { mail: id, message, user_id })) return found(trx, id)
        throw new ApiError(mailClosed, { reason: { code: 'mail_closed', facts: { state } } })
      },
      guard,
    )
  }

  async function found(trx: DatabaseOrTransaction, id: string): Promise<ShownMail> {
    const row = await mailAdminStore(trx).find(id)
    if (!row) throw new ApiError(mailNotFound, { reason: { code: 'no_such_mail' } })
    const [mail] = await shown(trx, [row])
    return mail ?? { ...row, address: null }
  }

  async function shown(from: DatabaseOrTransaction, rows: MailRow[]): Promise<ShownMail[]> {
    const open = rows.filter(({ sealed }) => sealed !== null)
    const keys = await sealedMail.keysOf(from, open)
    return rows.map((row) => ({ ...row, address: addressOf(row, keys.get(row.id)) }))
  }

  function addressOf({ id, sealed }: MailRow, key: Uint8Array | undefined): string | null {
    if (sealed === null || !key) return null
    try {
      return sealedMail.open(id, sealed, key).address
    } catch {
      return null // the row was edited, or the data key changed
    }
  }
}
