import type { User } from '../src/users/user.ts'
import { insertUser } from '../src/users/users.ts'
import type { TestApp } from './app.ts'

/** Users made in one transaction: a list of thousands would take seconds over HTTP. */
export function seedUsers(
  { deps }: Pick<TestApp, 'deps'>,
  count: number,
  make = (index: number) => ({ name: `Name ${index}`, email: `user${index}@example.org` }),
): Promise<User[]> {
  return deps.db.transaction().execute(async (trx) => {
    const users: User[] = []
    for (let index = 0; index < count; index += 1) users.push(await insertUser(trx, make(index)))
    return users
  })
}

/** A cursor of anyone's making. */
export function forgeCursor(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString(
    'base64url',
  )
}
