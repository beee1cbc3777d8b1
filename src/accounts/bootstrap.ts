import type { Config } from '../config/load.ts'
import { inContext } from '../events/context.ts'
import { ApiError } from '../kernel/errors.ts'
import type { Random } from '../kernel/random.ts'
import { canonicalUsername } from '../kernel/username.ts'
import { generatedPassword } from '../passwords/generated-password.ts'
import type { Accounts } from './accounts.ts'

export interface FirstAdministrator {
  readonly username: string
  /** To be shown once; null where the operator chose it. */
  readonly password: string | null
}

/**
 * Does all that takes time for the first administrator; what it answers makes it where there is no
 * account at all, and is null where there is one.
 */
export async function prepareFirstAdministrator(
  accounts: Accounts,
  { admin, password: rules }: Pick<Config, 'admin' | 'password'>,
  random: Random,
): Promise<() => Promise<FirstAdministrator | null>> {
  // The table itself is asked: a count that went wrong must not make an administrator.
  const isFirst = async () => (await accounts.after(0, 1)).length === 0
  const nobody = async () => null
  if (!(await isFirst())) return nobody
  const username = canonicalUsername(admin.username)
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
    if (isTaken(error)) return nobody
    const [refusal] = (error instanceof ApiError && error.details) || []
    if (refusal) throw new Error(`ADMIN_PASSWORD ${refusal.message}`, { cause: error })
    throw error
  }
  return async () => {
    if (!(await isFirst())) return null
    try {
      await inContext('bootstrap', create)
    } catch (error) {
      if (isTaken(error)) return null
      throw error
    }
    return { username, password: admin.password ? null : password }
  }
}

/** Another process started at the same time and was first. */
function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.row === 'usernameExists'
}
