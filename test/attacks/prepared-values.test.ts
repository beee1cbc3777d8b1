// A database makes a difference: each compiles its own text, and its driver binds the values.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Username } from '../../src/core/lib/username.ts'
import { accountStore } from '../../src/modules/accounts/store.ts'
import { postStore } from '../../src/modules/posts/store.ts'
import { sessionStore } from '../../src/modules/sessions/store.ts'
import { pairIdOf } from '../../src/modules/tokens/pair.ts'
import { rotationStore } from '../../src/modules/tokens/rotation-store.ts'
import { sortKeys } from '../../src/modules/users/lists.ts'
import { userStore } from '../../src/modules/users/store.ts'
import { testApp } from '../app.ts'

/** Texts that end a literal, a statement, a name or a comment, or that name a parameter. */
const hostile = [
  `' or '1' = '1`,
  `'; drop table users; --`,
  `" or "" = "`,
  `\\' or 1 = 1 --`,
  '$1',
  '?',
  '?1',
  ':rid',
  '@rid',
  '*/ or /*',
  '%',
  '_',
  'null',
  'constructor',
  '__proto__',
  '\u202E😀',
  `${'x'.repeat(5000)}'`,
  '',
]

suite('values of prepared queries are bound, never part of the text', async () => {
  const app = await testApp()
  const { db } = app.deps
  const users = userStore(db)
  const { id: userId } = await users.insert({ name: 'Ann', email: 'ann@example.org' })
  const tables = [
    'users',
    'accounts',
    'sessions',
    'refresh_uses',
    'refresh_families_ended',
  ] as const
  const rows = () => Promise.all(tables.map((table) => app.rows(table)))
  const before = await rows()

  for (const text of hostile) {
    const shown = JSON.stringify(text.slice(0, 30))

    test(`${shown} finds nothing where a name, an id or a digest is looked up`, async () => {
      assert.equal(await accountStore(db).byUsername(text as Username), null)
      assert.equal(await sessionStore(db).byId(text), null)
      const rotation = rotationStore(db)
      assert.equal(await rotation.use(text), null)
      assert.equal(await rotation.isEnded(text), false)
      const family = await rotation.familyOf({ rid: text, exp: 7 })
      assert.deepEqual(family, { id: pairIdOf({ rid: text, exp: 7 }), isEnded: false })
    })

    test(`${shown} is a position like any other text in every order of users`, async () => {
      const everyone = await users.list({ order: { key: 'id', descending: false }, limit: 100 })
      for (const key of sortKeys) {
        for (const descending of [false, true]) {
          const part = { order: { key, descending }, limit: 100 }
          const [least, most] = [
            { value: text, id: 0 },
            { value: text, id: 2 ** 53 - 1 },
          ]
          const found = [
            ...(await users.list({ ...part, after: descending ? most : least })),
            ...(await users.list({
              order: { key, descending: !descending },
              limit: 100,
              after: descending ? least : most,
            })),
          ]
          const ids = found.map(({ id }) => id).sort((a, b) => a - b)
          const wanted = everyone.map(({ id }) => id)
          // By id the text says nothing; else the two directions share out all the users.
          if (key === 'id') assert.deepEqual(new Set(ids), new Set(wanted))
          else assert.deepEqual(ids, wanted)
        }
      }
    })

    test(`${shown} is stored and found as it is`, async () => {
      const undone = new Error('undo')
      const work = db.transaction().execute(async (trx) => {
        const made = await userStore(trx).insert({ name: text, email: text })
        assert.deepEqual(await userStore(trx).byId(made.id), {
          id: made.id,
          name: text,
          email: text,
        })
        const rotation = rotationStore(trx)
        const use = { rid: `rid ${text}`, family: text, successor: `next ${text}`, usedAt: 1 }
        const stored = { ...use, issuedAt: 1, expiresAt: 2 }
        await rotation.insert(stored)
        assert.deepEqual(await rotation.use(use.rid), stored)
        const first = { exp: 7, rid: use.rid }
        assert.deepEqual(await rotation.familyOf(first), { id: text, isEnded: false })
        await rotation.end(text, 9)
        assert.deepEqual(await rotation.familyOf({ ...first, rid: use.successor }), {
          id: text,
          isEnded: true,
        })
        throw undone
      })
      await assert.rejects(work, undone)
    })
  }

  const numbers: readonly unknown[] = [Number.NaN, undefined, {}, [userId], new Date(), Symbol('s')]
  for (const value of numbers) {
    test(`${String(value)} in place of a number is refused or finds nothing`, async () => {
      const asked = [
        () => users.byId(value as number),
        () => accountStore(db).byUserId(value as number),
        () => postStore(db).byId(value as number),
        () => users.slice(value as number, { offset: 0 }),
        () => users.slice(5, { offset: value as number }),
        () => users.slice(5, { afterId: value as number }),
        () => users.list({ order: { key: 'name', descending: true }, limit: value as number }),
      ]
      for (const ask of asked) await assert.rejects(ask)
    })
  }

  test('and nothing was changed by any of them', async () => {
    assert.deepEqual(await rows(), before)
  })
})
