import type { Needs } from '../../../core/module/services.ts'
import { kindName } from '../../passkeys/kind.ts'
import { totpId } from '../../totp/kind.ts'
import { named } from './identifier.ts'
import type { Asked } from './views.ts'
import type { SignInFlow } from './ways.ts'

export type AskedNeeds = Pick<Needs, 'accounts' | 'config' | 'factors' | 'passkeys'>

export const noFactors: Asked = { passkey: null, kinds: [totpId] }

/** Each step of each flow has a purpose of its own. */
export function purposeOf({ key, step }: Pick<SignInFlow, 'key' | 'step'>): string {
  return `${step} of the sign-in ${key}`
}

/** The only user who may sign in again; 0 if the account is gone. */
export async function onlyUser(
  { accounts }: Pick<Needs, 'accounts'>,
  { data: { again } }: SignInFlow,
): Promise<number | undefined> {
  if (again === null) return undefined
  return (await named(accounts, again)).account?.userId ?? 0
}

/** Stores nothing. */
export async function askedAt(deps: AskedNeeds, flow: SignInFlow): Promise<Asked> {
  const { config, passkeys } = deps
  if (flow.step === 'password') {
    if (!config.passkeys.isPossible || !(await passkeys.exist())) return noFactors
    const only = await onlyUser(deps, flow)
    const passkey = await passkeys.options(purposeOf(flow), only)
    const isUsable = only === undefined || passkey.allowCredentials.length > 0
    return { ...noFactors, passkey: isUsable ? passkey : null }
  }
  if (flow.step !== 'second_factor' || flow.userId === null) return noFactors
  return askedOf(deps, flow.userId, purposeOf(flow))
}

/** The factors that prove a user, each for the purpose. */
export async function askedOf(
  { config, factors, passkeys }: Omit<AskedNeeds, 'accounts'>,
  userId: number,
  purpose: string,
): Promise<Asked> {
  const all = new Set((await factors.of(userId)).map(({ kind }) => kind))
  const hasPasskey = all.delete(kindName) && config.passkeys.isPossible
  return {
    passkey: hasPasskey ? await passkeys.options(purpose, userId) : null,
    kinds: all.size > 0 || hasPasskey ? [...all] : noFactors.kinds,
  }
}
