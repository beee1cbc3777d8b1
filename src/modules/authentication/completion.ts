import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import type { Attempt } from '../throttle/attempt.ts'
import type { Account } from './account.ts'
import { loginSuccess, loginSuccessAfterFail } from './events.ts'
import type { Evidence } from './evidence.ts'
import type { Stage } from './requirement-table.ts'
import type { Passed, Requirements } from './requirements.ts'

export interface Result<Issued, Answer> {
  /** May be retried: only uses the database. */
  issue(trx: DatabaseOrTransaction, present: ProvenAccount): Promise<Issued>
  /** Runs after the commit: signs tokens, sets cookies. */
  respond(issued: Issued, evidence: Evidence): Promise<Answer> | Answer
  readonly browser?: string
}

export interface PresentAccount {
  readonly account: Account
  /** Including ended sessions. */
  readonly sessions: number
}

export interface ProvenAccount
  extends PresentAccount,
    Pick<Evidence, 'amr' | 'authTime' | 'isRemembered'> {
  /** Keep me signed in: asked for, or as the session that the new one replaces. */
  readonly keeps?: 'asked' | 'as before'
}

/** The stage that applies in the transaction. */
export const commitStages = {
  login: 'commit',
  basic: 'commit',
  provider: 'providerCommit',
  providerPage: 'providerCommit',
  passkey: 'passkeyCommit',
} as const satisfies Partial<Record<Stage, Stage>>

export type Completing = keyof typeof commitStages

/**
 * One transaction checks the requirements again, stores the result, records the login and settles
 * the attempt.
 */
export interface Completion {
  /**
   * @throws ApiError invalidCredentials, accessDenied if the account has changed in the meantime
   */
  complete<Issued, Answer>(
    passed: Passed<Completing>,
    attempt: Attempt | null,
    result: Result<Issued, Answer>,
  ): Promise<Answer>
}

export interface CompletionDeps {
  readonly db: Database
  /** Basic records nothing: no wait for the disk. */
  readonly asyncCommitDb: Database
  readonly events: Pick<Events, 'emitInTransaction'>
  readonly requirements: Pick<Requirements, 'refuse' | 'unmet'>
  /** Null if the account does not exist. */
  readonly present: (trx: DatabaseOrTransaction, userId: number) => Promise<PresentAccount | null>
  /** Also records the login, in one statement. */
  readonly presentAtLogin: (
    trx: DatabaseOrTransaction,
    userId: number,
    byPassword: boolean,
  ) => Promise<PresentAccount | null>
  /** Never for Basic. */
  readonly signedIn: (
    trx: DatabaseOrTransaction,
    account: Account,
    browser: string | undefined,
  ) => Promise<void>
}

export function createCompletion(deps: CompletionDeps): Completion {
  const { db, asyncCommitDb, events, requirements, present, presentAtLogin, signedIn } = deps
  return {
    async complete(
      { account: before, amr, authTime, isRemembered = false, stage },
      attempt,
      { issue, respond, browser },
    ) {
      const isLogin = stage !== 'basic'
      const work = async (trx: DatabaseOrTransaction) => {
        const found = isLogin
          ? await presentAtLogin(trx, before.userId, amr.includes('pwd'))
          : await present(trx, before.userId)
        if (!found) throw gone(before)
        const { account } = found
        requirements.refuse(commitStages[stage], {
          account,
          amr,
          since: { now: account, before },
        })
        // A new role may require a factor.
        const added = requirements.unmet(stage, { account, amr, isRemembered })
        if (added) {
          const facts = { user_id: account.userId, requirement: added.requirement }
          const reason = { code: 'requirement_added', facts } as const
          throw new ApiError('invalidCredentials', { reason })
        }
        const issued = await issue(trx, { ...found, amr, authTime, isRemembered })
        if (isLogin) {
          const { userId: user_id, failedLogins: failures, username } = account
          const login = { username, factors: amr }
          if (attempt && failures > 0) {
            await events.emitInTransaction(
              trx,
              loginSuccessAfterFail,
              { user_id, failures },
              { login },
            )
          } else await events.emitInTransaction(trx, loginSuccess, { user_id }, { login })
          await signedIn(trx, account, browser)
        }
        await attempt?.succeed(trx, account)
        return { issued, account }
      }
      const lockNames = [lockName.account(before.userId)]
      const { issued, account } = await transact(isLogin ? db : asyncCommitDb, lockNames, work)
      return respond(issued, { account, amr, authTime })
    },
  }
}

function gone({ userId }: Account): ApiError {
  const reason = { code: 'account_gone', facts: { user_id: userId } } as const
  return new ApiError('invalidCredentials', { reason })
}
