import { lockName, transact } from '../../core/database/transactions.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Evidence } from '../authentication/evidence.ts'
import type { Step } from '../authentication/requirement-table.ts'
import type { Browser, PageFlow } from '../flows/flows.ts'
import { provenOf, type SignInData } from '../flows/sign-in-flow.ts'

// Long enough to set up an authenticator app.
const flowSeconds = 1800

/** @throws ApiError invalidCredentials, accessDenied if the account has changed in the meantime */
export async function continueOnPages(
  { accounts, db, pageFlows, totp }: Pick<Needs, 'accounts' | 'db' | 'pageFlows' | 'totp'>,
  { step, evidence }: { readonly step: Step; readonly evidence: Evidence },
  returnTo: string,
  browser: Browser,
): Promise<PageFlow<SignInData>> {
  const { account } = evidence
  // Each request shows the same secret.
  const enrolment = step === 'enrolment' ? await totp.begin(account) : null
  const data: SignInData = {
    column: 'providerPage',
    proven: provenOf(evidence),
    again: null,
    ...(enrolment && { enrolment: { secret: enrolment.secret, uri: enrolment.uri } }),
  }
  const { userId } = account
  const start = { purpose: 'page_sign_in', step, returnTo, seconds: flowSeconds, userId } as const
  return transact(db, [lockName.account(userId)], async (trx) => {
    await accounts.reread(trx, account, 'providerCommit') // may be deleted in the meantime
    return pageFlows.begin(trx, { ...start, data }, browser)
  })
}
