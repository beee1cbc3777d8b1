import type { Config } from '../config.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Random, randomText } from '../kernel/random.ts'
import { canonicalUsername } from '../kernel/username.ts'
import type { Accounts } from './accounts.ts'

const passwordBytes = 18

export interface FirstAdministrator {
  readonly username: string
  /** To be shown once; null where the operator chose it. */
  readonly password: string | null
}

/** Makes the first administrator where there is no account at all; null where there is one. */
export async function createFirstAdministrator(
  accounts: Accounts,
  { admin }: Pick<Config, 'admin'>,
  random: Random,
): Promise<FirstAdministrator | null> {
  if ((await accounts.count()) > 0) return null
  const username = canonicalUsername(admin.username)
  if (!username) throw new Error('ADMIN_USERNAME is not a valid username')
  const password = admin.password?.reveal() ?? randomText(random, passwordBytes)
  try {
    await accounts.create({
      username,
      password,
      roles: ['USER', 'EDITOR', 'ADMIN'],
      mustChange: false,
      user: { name: 'Administrator', email: 'administrator@example.invalid' },
    })
  } catch (error) {
    // Another process started at the same time and was first.
    if (error instanceof ApiError && error.row === 'usernameExists') return null
    throw error
  }
  return { username, password: admin.password ? null : password }
}
