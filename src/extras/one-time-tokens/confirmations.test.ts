import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { addressOf, signUpDeps } from '../../../test/sign-ups.ts'
import { transact } from '../../core/database/transactions.ts'
import type { ConfirmationInput } from './confirmations.ts'

suite('confirmations of an address', async () => {
  const { db, clock, confirmations } = await signUpDeps()
  const begin = (more: Partial<ConfirmationInput> = {}) =>
    transact(db, [], (trx) =>
      confirmations.begin(trx, {
        ...{ purpose: 'reset', asked: 'joe@example.org', userId: 1, address: addressOf('Joe') },
        ...{ version: 1, flow: 'f', language: 'de', ...more },
      }),
    )
  const tokenOf = async (id: string) => (await confirmations.secretsOf(id, 'f'))?.token ?? ''
  const opened = async (token: string) => {
    const confirmation = await confirmations.open(token, ['reset', 'email_change', 'email_undo'])
    assert.ok(confirmation)
    return confirmation
  }
  beforeEach(async () => {
    await db.deleteFrom('confirmations').execute()
    await db.updateTable('token_versions').set({ refresh_version: 1 }).execute()
  })

  const changes: Record<string, Partial<ConfirmationInput>> = {
    'another account': { userId: 2 },
    'another version of the account': { version: 2 },
    'another address of the account': { address: addressOf('Kim') },
    'no address': { address: null },
  }
  for (const [change, more] of Object.entries(changes)) {
    test(`asked for again with ${change} end the link of before`, async () => {
      const { id, mail } = await begin()
      const before = await tokenOf(id)
      assert.equal((await begin()).id, id)
      assert.equal(await tokenOf(id), before)
      assert.equal((await opened(before)).userId, 1)
      const again = await begin(more)
      assert.deepEqual([again.id, again.mail.expiresAt], [id, mail.expiresAt])
      assert.equal(await confirmations.open(before, ['reset']), null)
      if (more.version !== undefined) {
        await db.updateTable('token_versions').set({ refresh_version: 2 }).execute()
      }
      const after = await tokenOf(id)
      if (more.address === null) assert.equal(after, '')
      else assert.equal((await opened(after)).userId, more.userId ?? 1)
    })
  }

  test('are open until they are used, renewed, expired or gone', async () => {
    const { id } = await begin()
    const confirmation = await opened(await tokenOf(id))
    assert.equal(await confirmations.isOpen(confirmation), true)
    await transact(db, [], (trx) => confirmations.use(trx, confirmation))
    assert.equal(await confirmations.isOpen(confirmation), false)
    await begin()
    assert.equal(await confirmations.isOpen(confirmation), false)
    const renewed = await opened(await tokenOf(id))
    assert.equal(await confirmations.isOpen(renewed), true)
    clock.advance((renewed.expiresAt - clock.now()) / 1000)
    assert.equal(await confirmations.isOpen(renewed), false)
    await db.deleteFrom('confirmations').execute()
    assert.equal(await confirmations.isOpen(renewed), false)
    assert.equal(await confirmations.secretsOf(id, 'f'), null)
  })

  test('of an account wait for each address, the newest first, and are withdrawn', async () => {
    const change = { purpose: 'email_undo', version: 0 } as const
    const made = []
    for (const name of ['Joe', 'Kim', 'Joe']) {
      const { key } = addressOf(name)
      made.push(
        await begin({ ...change, asked: `${key} ${made.length}`, address: addressOf(name) }),
      )
      clock.advance(1)
    }
    const [first, second, third] = made.map(({ mail }) => mail.confirmation)
    const ids = async () =>
      (await transact(db, [], (trx) => confirmations.unused(trx, 1, 'email_undo'))).toSorted()
    const open = async () =>
      (await transact(db, [], (trx) => confirmations.openOf(trx, 1, 'email_undo'))).map(
        ({ id, address }) => `${id} ${address.key}`,
      )
    assert.deepEqual(await ids(), [first, second, third].toSorted())
    const waiting = [`${third} joe@example.org`, `${second} kim@example.org`]
    assert.deepEqual((await open()).toSorted(), waiting.toSorted())
    assert.equal((await confirmations.pending(1, ['email_undo']))?.id, third)
    assert.equal(await confirmations.pending(1, ['reset']), null)
    assert.equal(await confirmations.pending(2, ['email_undo']), null)
    await transact(db, [], (trx) => confirmations.withdraw(trx, third ?? ''))
    assert.deepEqual(await ids(), [first, second].toSorted())
    assert.equal((await confirmations.pending(1, ['email_undo']))?.id, second)
    await transact(db, [], (trx) => confirmations.cancelAll(trx, 1))
    assert.equal((await ids()).length, 2)
    await transact(db, [], (trx) => confirmations.cancelAll(trx, 1, ['email_undo']))
    assert.deepEqual([await ids(), await open()], [[], []])
  })
})
