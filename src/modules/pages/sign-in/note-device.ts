import type { DatabaseOrTransaction } from '../../../core/database/database.ts'
import type { ProvenAccount } from '../../authentication/completion.ts'
import type { Requirements } from '../../authentication/requirements.ts'
import type { RememberedDevices, SignInFlow } from './ways.ts'

interface Deps {
  readonly remembered: RememberedDevices | null
  readonly requirements: Pick<Requirements, 'mustHaveFactor'>
}

/**
 * In the transaction that completes a sign-in: the use of a remembered device, or a device to
 * remember. @throws ApiError invalidCredentials if the device was forgotten in the meantime
 */
export async function noteDevice(
  { remembered, requirements }: Deps,
  trx: DatabaseOrTransaction,
  { account, amr, isRemembered }: ProvenAccount,
  { flow, browser }: { readonly flow: SignInFlow; readonly browser: string | undefined },
): Promise<void> {
  if (!remembered || browser === undefined) return
  if (isRemembered) await remembered.use(trx, account.userId, browser)
  const isProven = amr.includes('pwd') && amr.includes('mfa')
  const isWanted = flow.data.rememberDevice === true && isProven
  if (!isWanted || requirements.mustHaveFactor(account)) return
  await remembered.remember(trx, account.userId, browser)
}
