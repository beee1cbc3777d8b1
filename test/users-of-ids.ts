import type { Database } from '../src/core/database/database.ts'

/** Makes users of these ids, whom events can name: no key is made for a person who is not there. */
export async function usersOfIds(db: Database, from: number, to: number): Promise<void> {
  const ids = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  await db
    .insertInto('users')
    .values(ids.map((id) => ({ id, name: '', email: '', name_key: '', email_key: '' })))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}
