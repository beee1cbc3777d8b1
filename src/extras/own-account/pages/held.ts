import type { FastifyRequest } from 'fastify'
import { lockName, transact } from '../../../core/database/transactions.ts'
import type { Needs } from '../../../core/module/services.ts'
import type { Account } from '../../../modules/authentication/account.ts'
import type { PageFlow } from '../../../modules/flows/flows.ts'
import { type browserOf, flowOf } from '../../../modules/flows/requests.ts'
import type { CreationOptions } from '../../../modules/passkeys/options.ts'
import type { Provisioning } from '../../../modules/totp/provisioning.ts'
import type { Person } from './own-page.ts'

/** A new factor until confirmed, or one-time codes. */
export type Held =
  | { readonly enrolment: Provisioning }
  | { readonly creation: CreationOptions }
  | { readonly codes: readonly string[]; readonly isFirst: boolean }

const flowSeconds = 900
const purpose = 'page_account'

/** Stored encrypted, for this browser and account. */
export function createHolder({ db, pageFlows }: Pick<Needs, 'db' | 'pageFlows'>) {
  return {
    hold(
      { userId }: Account,
      data: Held,
      browser: ReturnType<typeof browserOf>,
    ): Promise<PageFlow<Held>> {
      const start = { purpose, step: 'held', data, returnTo: '/account', userId } as const
      return transact(db, [lockName.account(userId)], (trx) =>
        pageFlows.begin<Held>(trx, { ...start, seconds: flowSeconds }, browser),
      )
    },

    async heldBy(
      request: FastifyRequest,
      { account: { userId } }: Person,
    ): Promise<PageFlow<Held> | null> {
      const flow = await flowOf<Held>(pageFlows, request, purpose)
      return flow?.userId === userId ? flow : null
    },

    /** Replaces what was held, for `codesPath`. */
    showCodes(flow: PageFlow<Held>, codes: readonly string[]): Promise<PageFlow<Held>> {
      return transact(db, [], (trx) =>
        pageFlows.advance<Held, Held>(trx, flow, { step: 'codes', data: { codes, isFirst: true } }),
      )
    },
  }
}
