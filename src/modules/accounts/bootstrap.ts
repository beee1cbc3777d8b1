import type { Config } from '../../core/config/load.ts'
import type { Random } from '../../core/crypto/random.ts'
import { ApiError } from '../../core/errors.ts'
import { inContext } from '../../core/events/context.ts'
import { generatedPassword } from '../../core/password-strength/generated-password.ts'
import type { Accounts } from './accounts.ts'
import { newUsername } from './new-username.ts'

export interface FirstAdministrator {
  readonly username: string
  /** The generated password; null if the operator chose one. */
  readonly password: string | null
}

/**
 * Stores the generated password before the account exists, so that a crash leaves no account with
 * an unknown password. @throws Error if storing fails; no account is created
 */
export type KeepPassword = (password: string) => { readonly discard: () => void }

/** Null if another process has created the account. */
export type MakeFirstAdministrator = (keep?: KeepPassword) => Promise<FirstAdministrator | null>

/** Null if an account exists. @throws Error if ADMIN_USERNAME or ADMIN_PASSWORD is invalid */
export async function prepareFirstAdministrator(
  accounts: Accounts,
  { admin, password: rules }: Pick<Config, 'admin' | 'password'>,
  random: Random,
): Promise<MakeFirstAdministrator | null> {
  // Reads the table: a wrong count must not create an administrator.
  const isFirst = async () => (await accounts.after(0, 1)).length === 0
  if (!(await isFirst())) return null
  const username = newUsername(admin.username)
  if (!username) throw new Error('ADMIN_USERNAME is not a valid username')
  const password = admin.password?.reveal() ?? generatedPassword(random, rules.minLength)
  let create: Awaited<ReturnType<Accounts['prepare']>>
  try {
    create = await accounts.prepare({
      username,
      password,
      roles: ['USER', 'EDITOR', 'ADMIN'],
      mustChange: false,
      user: { name: 'Administrator', email: 'administrator@example.invalid' },
    })
  } catch (error) {
    if (isTaken(error)) return null
    const [refusal] = (error instanceof ApiError && error.details) || []
    if (refusal) throw new Error(`ADMIN_PASSWORD ${refusal.message}`, { cause: error })
    throw error
  }
  return async (keep) => {
    if (!(await isFirst())) return null
    const kept = admin.password ? undefined : keep?.(password)
    try {
      await inContext('bootstrap', create)
    } catch (error) {
      // After other errors the account may exist: the commit response can be lost.
      if (!isTaken(error)) throw error
      kept?.discard()
      return null
    }
    return { username, password: admin.password ? null : password }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.row === 'usernameExists'
}
