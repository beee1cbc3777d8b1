import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { User } from '../users/user.ts'
import { createProfiles } from './profiles.ts'

/** Profiles of users that a test can change, and the number of reads. */
function counting() {
  const users = new Map([
    [1, { email: 'ann@example.org', name: 'Ann' }],
    [2, { email: 'bob@example.org', name: 'Bob' }],
  ])
  const changes = { epoch: 0 }
  let reads = 0
  let held: Promise<void> | undefined
  const byId = async (id: number) => {
    reads += 1
    const user = users.get(id)
    await held
    return (user ? { id, ...user } : null) as User | null
  }
  const profiles = createProfiles({ byId }, changes)
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    return () => {
      held = undefined
      resolve()
    }
  }
  return { users, changes, profiles, hold, reads: () => reads }
}

suite('profiles', () => {
  test('a profile is read once, and has the email address and the name alone', async () => {
    const { profiles, reads } = counting()
    const ann = { email: 'ann@example.org', name: 'Ann' }
    assert.deepEqual(await profiles.of(1), ann)
    assert.deepEqual(profiles.of(1), ann)
    assert.equal(reads(), 1)
    assert.equal((await profiles.of(2)).name, 'Bob')
    assert.equal(reads(), 2)
  })

  test('a deleted user has neither', async () => {
    const { profiles } = counting()
    assert.deepEqual(await profiles.of(3), { email: null, name: null })
  })

  test('the database is asked for a changed user, and for no other', async () => {
    const { profiles, users, reads } = counting()
    for (const id of [1, 2]) await profiles.of(id)
    users.set(1, { email: 'new@example.org', name: 'Ann' })
    profiles.forget(1)
    assert.equal((await profiles.of(1)).email, 'new@example.org')
    assert.equal((await profiles.of(2)).name, 'Bob')
    assert.equal(reads(), 3)
  })

  test('once the database may have changed, the database is asked for all users', async () => {
    const { profiles, users, changes, reads } = counting()
    for (const id of [1, 2]) await profiles.of(id)
    users.set(1, { email: 'new@example.org', name: 'Ann' })
    changes.epoch += 1
    assert.equal((await profiles.of(1)).email, 'new@example.org')
    await profiles.of(2)
    assert.equal(reads(), 4)
    for (const id of [1, 2]) await profiles.of(id)
    assert.equal(reads(), 4)
  })

  test('a profile that was read before a change is not kept after the change', async () => {
    const late = {
      forget: ({ profiles }: ReturnType<typeof counting>) => profiles.forget(1),
      epoch({ profiles, changes }: ReturnType<typeof counting>) {
        changes.epoch += 1
        void profiles.of(2) // notices the change
      },
    }
    for (const [name, change] of Object.entries(late)) {
      const all = counting()
      const { profiles, users, hold } = all
      const release = hold()
      const before = profiles.of(1)
      users.set(1, { email: 'new@example.org', name: 'Ann' })
      change(all)
      release()
      assert.equal((await before).email, 'ann@example.org')
      assert.equal((await profiles.of(1)).email, 'new@example.org', name)
    }
  })
})
