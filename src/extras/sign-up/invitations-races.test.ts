// A database makes a difference: a change waits for the lock of another.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { postgresOnly } from '../../../test/database.ts'
import { addressOf, signUpDeps } from '../../../test/sign-ups.ts'
import { until } from '../../../test/until.ts'
import { waitingForLocks } from '../../../test/waiting-locks.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import { createInvitations, type Inviter } from './invitations.ts'
import { invitationNotFound } from './problems.ts'

suite('invitations that change while they are read', async () => {
  const { db, clock, deps, happened, mails, made, token } = await signUpDeps()
  const invitations = createInvitations(deps)
  const bob: Inviter = { userId: 2, username: 'user2' }
  const create = () =>
    transact(db, [], (trx) =>
      invitations.create(trx, {
        ...{ email: addressOf('Joe'), name: 'Joe', roles: ['USER'], language: 'de', by: bob },
      }),
    )
  const profile = { username: 'joe.smith', name: 'Joe', password: 'gravel-otter-lantern-41' }
  const finishing = { profile, language: 'de', client: '::1' } as const
  const closed = (id: number, state: string) => ({
    row: 'confirmationInvalid',
    reason: { code: 'invitation_closed', facts: { invitation: id, state } },
  })

  beforeEach(async () => {
    await db.deleteFrom('invitations').execute()
    await db.updateTable('accounts').set({ locked: 0 }).execute()
    for (const list of [happened, mails, made]) list.splice(0)
  })

  test('are not found once their row is gone', async () => {
    const { id } = await create()
    const guard = {
      lockNames: () => [],
      authorize: async (trx: typeof db) => void (await trx.deleteFrom('invitations').execute()),
    }
    const unknown = { row: invitationNotFound, reason: { code: 'no_such_invitation' } }
    await assert.rejects(invitations.revoke(id, { guard }), unknown)
    await assert.rejects(invitations.resend(id, bob, { guard }), unknown)
    assert.deepEqual([mails.length, happened.length], [1, 1])
    assert.equal(await invitations.count(), 1, 'what a refused change has done is undone')
  })

  test('make no account once they are revoked, and the reason says so', async () => {
    const { id } = await create()
    const open = await invitations.find(await token())
    await invitations.revoke(id)
    await assert.rejects(invitations.accept(open, finishing), closed(id, 'revoked'))
    assert.deepEqual(made, [])
  })

  test('are as dead as their row, whatever the confirmation says', async () => {
    const { id } = await create()
    const link = await token()
    await db.updateTable('invitations').set({ revoked_at: clock.now() }).execute()
    await assert.rejects(invitations.find(link), closed(id, 'revoked'))
    await db.updateTable('invitations').set({ revoked_at: null, expires_at: clock.now() }).execute()
    await assert.rejects(invitations.find(link), closed(id, 'expired'))
  })

  postgresOnly('wait for a change of their inviter', async () => {
    const { id } = await create()
    const open = await invitations.find(await token())
    const [locked, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const change = transact(db, [lockName.account(2)], async (trx) => {
      await trx.updateTable('accounts').set({ locked: 1 }).where('user_id', '=', 2).execute()
      locked.resolve()
      await begun.promise
    })
    await locked.promise
    let isDone = false
    const accepted = invitations.accept(open, finishing)
    accepted
      .catch(() => {}) // judged below
      .finally(() => {
        isDone = true
      })
    await until(async () => isDone || (await waitingForLocks(db)) > 0)
    begun.resolve()
    await change
    await assert.rejects(accepted, {
      row: 'confirmationInvalid',
      reason: { code: 'inviter_not_allowed', facts: { invitation: id, invited_by: 2 } },
    })
    assert.deepEqual(made, [])
  })
})
