import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { seededRandom } from '../../../test/random.ts'
import { addressOf } from '../../../test/sign-ups.ts'
import { databaseWithAccounts } from '../../../test/stores.ts'
import {
  type InvitationStoreDeps,
  invitationStores,
  type NewInvitation,
} from './invitation-store.ts'
import { sectionsOf } from './personal-data.ts'

const now = 1_000_000

suite('stored invitations', async () => {
  const db = await databaseWithAccounts(2)
  const keys = { dataKey: Buffer.alloc(32, 1) }
  const deps = { keys, random: seededRandom(1) } as unknown as InvitationStoreDeps // what it reads
  const store = invitationStores(deps).of(db)
  let count = 0
  const insert = async (more: Partial<NewInvitation> = {}) => {
    count += 1
    const wanted: NewInvitation = {
      ...{ email: addressOf('Joe'), name: 'Joe', roles: ['USER', 'ADMIN'], language: 'de' },
      ...{ invitedBy: 1, isOfOperator: false, nonce: 'n', confirmation: `c${count}` },
      ...{ createdAt: now, expiresAt: now + 2 },
      ...more,
    }
    const id = await store.insert(wanted)
    return { ...wanted, id, acceptedAt: null, revokedAt: null, userId: null }
  }
  const clear = () => db.deleteFrom('invitations').execute()

  test('are read whole by id and confirmation, and sealed', async () => {
    const one = await insert()
    const two = await insert({ name: null, invitedBy: null, isOfOperator: true })
    assert.deepEqual(await store.byId(one.id), one)
    assert.deepEqual(await store.byIdForUpdate(two.id), two)
    assert.deepEqual(await store.byConfirmation(two.confirmation), two)
    const none = [store.byId(0), store.byIdForUpdate(0), store.byConfirmation('c')]
    assert.deepEqual(await Promise.all(none), [null, null, null])
    assert.deepEqual([await store.page(0, 9), await store.count()], [[two, one], 2])
    assert.deepEqual([await store.page(1, 1), await store.page(0, 1)], [[one], [two]])
    const rows = await db.selectFrom('invitations').selectAll().execute()
    assert.doesNotMatch(JSON.stringify(rows), /joe/i)
    const [row] = rows
    await db.updateTable('invitations').set({ address_index: 'other' }).execute()
    await assert.rejects(store.byId(row?.id ?? 0), /authenticate/)
    await clear()
  })

  test('the pending one of an address is neither accepted, revoked nor expired', async () => {
    const { email } = await insert({ expiresAt: now })
    await insert({ email: addressOf('Eve') })
    const [accepted, revoked] = [await insert(), await insert()]
    assert.equal(await store.accept(accepted.id, 2, now), true)
    assert.equal(await store.revoke(revoked.id, now), true)
    assert.equal(await store.pendingTo(email, now), null)
    const pending = await insert()
    assert.deepEqual(await store.pendingTo(addressOf('JOE'), now + 1), pending)
    assert.equal(await store.pendingTo(email, now + 2), null)
    await clear()
  })

  test('are accepted or revoked once', async () => {
    const [one, two, other] = [await insert(), await insert(), await insert()]
    assert.equal(await store.accept(one.id, 2, now + 1), true)
    assert.equal(await store.revoke(two.id, now + 1), true)
    for (const { id } of [one, two]) {
      assert.equal(await store.accept(id, 1, now + 3), false)
      assert.equal(await store.revoke(id, now + 3), false)
    }
    const accepted = { ...one, acceptedAt: now + 1, userId: 2 }
    assert.deepEqual(await store.page(0, 9), [other, { ...two, revokedAt: now + 1 }, accepted])
    assert.deepEqual([await store.ofUser(2), await store.ofUser(1)], [[accepted], []])
    const section = sectionsOf(deps)[0]
    const items = []
    for await (const batch of section?.read(db, 2) ?? []) items.push(...batch)
    assert.deepEqual(items, [
      {
        ...{ email: 'Joe@example.org', name: 'Joe', roles: ['USER', 'ADMIN'] },
        ...{ created_at: '1970-01-01T00:16:40.000Z', expires_at: '1970-01-01T00:16:40.002Z' },
        accepted_at: '1970-01-01T00:16:40.001Z',
      },
    ])
    await clear()
  })

  test('are renewed alone, with the confirmation and inviter of the new mail', async () => {
    const [one, other] = [await insert(), await insert()]
    const renewed = {
      ...one,
      confirmation: 'd',
      expiresAt: now + 9,
      invitedBy: 2,
      isOfOperator: true,
    }
    await store.renew(renewed)
    assert.deepEqual(await store.page(0, 9), [other, renewed])
    await clear()
  })

  test('to the verified address of a user are forgotten with the user', async () => {
    await insert()
    const other = await insert({ email: addressOf('Eve') })
    await store.forgetAddressOf(1)
    assert.equal(await store.count(), 2)
    const verified = { verified_email: 'joe@example.org' }
    await db.updateTable('accounts').set(verified).where('user_id', '=', 1).execute()
    await store.forgetAddressOf(2)
    assert.equal(await store.count(), 2)
    await store.forgetAddressOf(1)
    assert.deepEqual(await store.page(0, 9), [other])
    await clear()
  })

  test('are purged by their end, in batches', async () => {
    for (let more = 3; more > 0; more -= 1) await insert()
    const kept = await insert({ expiresAt: now + 3 })
    assert.deepEqual([await store.purge(now + 2, 2), await store.purge(now + 2, 2)], [2, 1])
    assert.deepEqual(await store.page(0, 9), [kept])
  })
})
