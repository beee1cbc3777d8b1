// A database makes a difference: kinds are read from an index of its own.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../../test/app.ts'
import { testDatabase } from '../../../test/database.ts'
import { storeHash } from '../../../test/hashes.ts'
import { transact } from '../../core/database/transactions.ts'
import { costliestKinds, hashKind, hashKindOf, storedHashKinds } from './hash-kinds.ts'

const salt = 'c2FsdHNhbHRzYWx0c2FsdA'
const derived = 'x'.repeat(43)
const hashes: Readonly<Record<string, string>> = {
  $2b$12: `$2b$12$${'./Az09'.repeat(9).slice(0, 53)}`,
  $2y$04: `$2y$04$${'a'.repeat(53)}`,
  '$argon2id$v=19$m=65536,t=3,p=4$': `$argon2id$v=19$m=65536,t=3,p=4$${salt}$${derived}`,
  '$argon2d$v=16$m=512,t=1,p=1$': `$argon2d$v=16$m=512,t=1,p=1$${salt}$ab+/`,
  '$pbkdf2-sha256$i=1000$43': `$pbkdf2-sha256$i=1000$${salt}$${derived}`,
  '$pbkdf2-sha256$1000$44': `$pbkdf2-sha256$1000$sa.lt-_=$${derived}=`,
  '$pbkdf2-sha1$i=1000,l=64$86': `$pbkdf2-sha1$i=1000,l=64$${salt}$${derived}${derived}`,
  '$wrapped$scrypt,ln=14,r=8,p=1,b=64$v=19$m=19456,t=2,p=1$': `$wrapped$scrypt,ln=14,r=8,p=1,b=64$v=19$m=19456,t=2,p=1$${salt}$${salt}.${derived}`,
  '$wrapped$sha1,b=20$v=19$m=64,t=1,p=1$': `$wrapped$sha1,b=20$v=19$m=64,t=1,p=1$${salt}$.${derived}`,
  '': 'nohash',
}

suite('kinds of hash', async () => {
  const app = await testApp()
  const { db } = app.deps
  const ann = await app.account('ann')
  const stored = async () => (await storedHashKinds(db)).map(({ name }) => name)
  const [own] = await stored()

  for (const [name, hash] of Object.entries(hashes)) {
    test(`${name || 'no hash'}: the database and the service name it alike`, async () => {
      assert.equal(hashKindOf(hash), name)
      await storeHash(app, ann.userId, hash)
      const kinds = await storedHashKinds(db)
      assert.deepEqual(kinds.map(({ name }) => name).sort(), [name, own].sort())
      for (const kind of kinds) assert.equal(hashKindOf(kind.example), kind.name)
    })
  }

  test('two salts are one kind, and a kind goes with its last hash', async () => {
    assert.match(own ?? '', /^\$argon2id\$v=19\$m=\d+,t=\d,p=1\$$/)
    const bob = await app.account('bob')
    for (const [index, { userId }] of [ann, bob].entries()) {
      await storeHash(app, userId, `$2b$12$${'ab'[index]?.repeat(53)}`)
    }
    assert.deepEqual((await stored()).sort(), ['$2b$12', own].sort())
    await app.call('DELETE', '/api/admin/accounts/bob', { headers: app.basic(app.admin) })
    await app.call('DELETE', '/api/admin/accounts/ann', { headers: app.basic(app.admin) })
    assert.deepEqual(await stored(), [own])
    await db.deleteFrom('accounts').execute()
    assert.deepEqual(await stored(), [])
  })

  test('an account without a password is of no kind, and hides none', async () => {
    const { db } = app.deps
    const row = { locked: 0, active: 1, created_at: 0 }
    const users = { name: 'n', email: 'e', name_key: 'n', email_key: 'e' }
    const ids = await db.insertInto('users').values([users, users]).returning('id').execute()
    const [due = 0, other = 0] = ids.map(({ id }) => id)
    await db
      .insertInto('accounts')
      .values([due, other].map((id) => ({ ...row, user_id: id, username: `name ${id}` })))
      .execute()
    await db
      .insertInto('passwords')
      .values([
        { account: due, hash: null, must_change: 1 },
        { account: other, must_change: 0, hash: `$2b$12$${'a'.repeat(53)}` },
      ])
      .execute()
    assert.deepEqual(await stored(), ['$2b$12'])
  })

  test('each look is one into the index', async () => {
    const look = sql`
      select ${hashKind} from passwords
        where hash is not null and ${hashKind} > 'a' order by ${hashKind} limit 1`
    const plan = await transact(db, [], async (trx) => {
      if (testDatabase === 'sqlite') return sql`explain query plan ${look}`.execute(trx)
      await sql`set local enable_seqscan = off`.execute(trx) // a small table is read as a whole
      return sql`explain ${look}`.execute(trx)
    })
    const text = JSON.stringify(plan.rows)
    assert.match(text, /passwords_by_hash_kind/)
    assert.doesNotMatch(text, /sort|temp b-tree|seq scan/i)
  })
})

test('the most costly kind of each algorithm is taken, and no text that is no hash', () => {
  const kinds = [
    '$2b$10',
    '$2y$12',
    '$2b$11',
    '$argon2id$v=19$m=19456,t=2,p=1$',
    '$argon2id$v=19$m=65536,t=1,p=4$',
    '$argon2i$v=19$m=512,t=1,p=1$',
    '$pbkdf2-sha256$i=1000$43',
    '$pbkdf2-sha256$900$43',
    '$pbkdf2-sha512$i=1000,l=64$86',
    'nohash',
    '',
  ].map((name) => ({ name, example: '' }))
  assert.deepEqual(
    costliestKinds(kinds).map(({ name }) => name),
    [
      '$2y$12',
      '$argon2id$v=19$m=65536,t=1,p=4$',
      '$argon2i$v=19$m=512,t=1,p=1$',
      '$pbkdf2-sha256$i=1000$43',
      '$pbkdf2-sha512$i=1000,l=64$86',
    ],
  )
})
