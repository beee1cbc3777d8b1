import { caseFold } from '../src/core/lib/text.ts'
import { shown } from '../src/modules/users/lists.ts'
import type { User } from '../src/modules/users/user.ts'
import type { TestApp } from './app.ts'

const insertedAtOnce = 500

/** Inserts users in few statements: thousands would take seconds over HTTP. */
export function seedUsers(
  { deps }: Pick<TestApp, 'deps'>,
  count: number,
  make = (index: number) => ({ name: `Name ${index}`, email: `user${index}@example.org` }),
): Promise<User[]> {
  return deps.db.transaction().execute(async (trx) => {
    const users: User[] = []
    while (users.length < count) {
      const most = Math.min(insertedAtOnce, count - users.length)
      const rows = Array.from({ length: most }, (_, index) => {
        const { name, email } = make(users.length + index)
        return { name, email, name_key: caseFold(name), email_key: caseFold(email) }
      })
      const made = await trx.insertInto('users').values(rows).returning(shown).execute()
      users.push(...made.toSorted((one, other) => one.id - other.id)) // in the order of the list
    }
    return users
  })
}

/** A forged cursor. */
export function forgeCursor(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString(
    'base64url',
  )
}
