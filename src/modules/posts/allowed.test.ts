// A database makes a difference: a rule becomes the condition of a statement.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, suite, test } from 'node:test'
import fc from 'fast-check'
import { connectTo } from '../../../test/database.ts'
import { migrate } from '../../core/database/migrate.ts'
import { decide } from '../../core/policy/decide.ts'
import { contractRoles, type Principal, type Role, userIdOf } from '../../core/policy/principal.ts'
import {
  all,
  any,
  anyone,
  authenticated,
  owner,
  type Rule,
  role,
  scope,
  unlocked,
} from '../../core/policy/rules.ts'
import { allowed } from './allowed.ts'
import { resourceOf } from './post.ts'
import { postStore } from './store.ts'

const { db, directory } = await connectTo()
after(async () => {
  await db.destroy()
  rmSync(directory, { recursive: true })
})

const principal = (subject: string, roles: readonly Role[]): Principal => ({
  subject,
  username: 'ann',
  roles: new Set(roles),
  credential: { scheme: 'basic' },
  amr: [],
  authTime: 0,
})

suite('a rule as the condition of a statement', async () => {
  await migrate(db, { now: () => 0, wait: async () => {} })
  const user = { name: 'A', email: 'a@b.co', name_key: 'a', email_key: 'a@b.co' }
  await db.insertInto('users').values([user, user]).execute()
  const times = { created_at: 0, updated_at: 0 }
  const rows = [1, 2, null].flatMap((author_id) =>
    [0, 1].map((locked) => ({ title: 'T', body: '', author_id, locked, ...times })),
  )
  await db.insertInto('posts').values(rows).execute()
  const posts = await postStore(db).slice(rows.length, { offset: 0 })

  test('it finds exactly the posts for which `decide` answers true', async () => {
    assert.equal(posts.length, 6)
    const { rule } = fc.letrec<{ rule: Rule; parts: Rule[] }>((tie) => ({
      rule: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(anyone, authenticated, owner, unlocked, scope('read')),
        fc.subarray([...contractRoles]).map((roles) => role(...roles)),
        tie('parts').map((parts) => any(...parts)),
        tie('parts').map((parts) => all(...parts)),
      ),
      parts: fc.array(tie('rule'), { maxLength: 3 }),
    }))
    const caller = fc
      .tuple(
        fc.constantFrom('1', '2', '3', '01', '1 ', 'sub', ''),
        fc.subarray([...contractRoles]),
        fc.constantFrom({}, { client: 'app' }, { scopes: new Set(['read']) }),
      )
      .map(([subject, roles, limits]) => ({ ...principal(subject, roles), ...limits }))
    await fc.assert(
      fc.asyncProperty(rule, caller, async (rule, caller) => {
        const found = await db
          .selectFrom('posts')
          .select('id')
          .where((eb) => allowed(eb, { rule, caller }))
          .orderBy('id')
          .execute()
        const expected = posts.filter((post) => decide(rule, caller, resourceOf(post)) === true)
        assert.deepEqual(
          found.map(({ id }) => id),
          expected.map(({ id }) => id),
        )
      }),
      { numRuns: 500 },
    )
  })

  test('a subject is the id of a user only as that id is written', () => {
    for (const subject of ['01', '1 ', ' 1', '+1', '1.0', '1e0', '0x1', '0', '-1', '', 'sub']) {
      assert.equal(userIdOf(principal(subject, [])), null, subject)
    }
    assert.equal(userIdOf(principal('9007199254740993', [])), null)
    assert.equal(userIdOf(principal('12', [])), 12)
  })
})
