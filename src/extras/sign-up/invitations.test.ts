// A database makes a difference: two administrators at once wait for a lock.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { addressOf, madeId, signUpDeps } from '../../../test/sign-ups.ts'
import { transact } from '../../core/database/transactions.ts'
import { createInvitations, type InvitationInput, type Inviter } from './invitations.ts'
import { invitationClosed, invitationNotFound } from './problems.ts'

const day = 86_400_000

suite('invitations', async () => {
  const it = await signUpDeps()
  const { db, clock, happened, mails, made, token } = it
  const invitations = createInvitations(it.deps)
  const ann: Inviter = { userId: 1, username: 'user1' }
  const bob: Inviter = { userId: 2, username: 'user2' }
  const create = (more: Partial<InvitationInput> = {}) =>
    transact(db, [], (trx) =>
      invitations.create(trx, {
        ...{ email: addressOf('Joe'), name: 'Joe', roles: ['USER'], language: 'de', by: ann },
        ...more,
      }),
    )
  const profile = { username: 'joe.smith', name: 'Joe', password: 'gravel-otter-lantern-41' }
  const accept = async (text: string) =>
    invitations.accept(await invitations.find(text), { profile, language: 'de', client: '::1' })
  const all = () => invitations.page(0, 100)
  const closed = (id: number, state: string) => ({
    ...{ row: invitationClosed },
    reason: { code: 'invitation_closed', facts: { invitation: id, state } },
  })
  const invalid = (reason: object) => ({ row: 'confirmationInvalid', reason })
  const ended = (code: string) => invalid({ code, facts: { user_id: null, purpose: 'invitation' } })
  const unknown = { row: invitationNotFound, reason: { code: 'no_such_invitation' } }

  beforeEach(async () => {
    await db.deleteFrom('invitations').execute()
    await db.updateTable('accounts').set({ locked: 0, verified_email_key: null }).execute()
    await db.updateTable('accounts').set({ verified_email: null }).execute()
    for (const list of [happened, mails, made]) list.splice(0)
  })

  test('are mailed with a link, recorded and listed', async () => {
    const invitation = await create()
    const now = clock.now()
    const { id, nonce, confirmation, ...rest } = invitation
    assert.deepEqual(rest, {
      ...{ email: addressOf('Joe'), name: 'Joe', roles: ['USER'], language: 'de' },
      ...{ invitedBy: 1, isOfOperator: false, createdAt: now, expiresAt: now + 7 * day },
      ...{ acceptedAt: null, revokedAt: null, userId: null },
    })
    assert.match(nonce, /^.{12}$/)
    assert.deepEqual(mails, [
      {
        ...{ message: 'invitation', to: { address: addressOf('Joe') }, confirmation },
        ...{ facts: { name: 'Joe', invitedBy: 'user1' }, language: 'de' },
        expiresAt: now + 7 * day,
      },
    ])
    assert.deepEqual(happened, [['invitation_created', { invitation: id, roles: ['USER'] }]])
    assert.deepEqual([await all(), await invitations.count()], [[invitation], 1])
    const found = await invitations.find(await token())
    assert.deepEqual(found.invitation, invitation)
  })

  test('of the command line name no inviter', async () => {
    const { invitedBy, isOfOperator } = await create({ by: 'operator' })
    assert.deepEqual([invitedBy, isOfOperator], [null, true])
    assert.partialDeepStrictEqual(mails[0], { facts: { name: 'Joe', invitedBy: null } })
    await accept(await token())
    assert.equal(made.length, 1)
  })

  test('need mail', () => {
    invitations.assertMail()
    it.outbox.isAvailable = false
    assert.throws(() => invitations.assertMail(), { reason: { code: 'mail_off' } })
    it.outbox.isAvailable = true
  })

  test('to one address replace each other, and the link of the one before ends', async () => {
    const first = await create()
    const link = await token()
    await create({ email: addressOf('Eve') })
    const second = await create({ email: addressOf('JOE'), by: bob })
    const [newest, , oldest] = await all()
    assert.deepEqual([newest, oldest], [second, { ...first, revokedAt: clock.now() }])
    const replaced = { invitation: first.id, roles: ['USER'], reason: 'replaced' }
    assert.deepEqual(happened[2], ['invitation_revoked', replaced])
    await assert.rejects(invitations.find(link), ended('confirmation_used'))
    assert.notEqual(await token(), link)
  })

  test('at once to one address leave one pending', async () => {
    await Promise.all([create(), create({ by: bob }), create()])
    const open = (await all()).filter(({ revokedAt }) => revokedAt === null)
    assert.deepEqual([open.length, await invitations.count()], [1, 3])
  })

  test('to the address of an account are refused', async () => {
    const { key, address } = addressOf('Joe')
    const verified = { verified_email: address, verified_email_key: key }
    const pending = await create()
    await db.updateTable('accounts').set(verified).where('user_id', '=', 2).execute()
    const taken = { row: 'emailExists', reason: { code: 'address_taken', facts: { user_id: 2 } } }
    await assert.rejects(create(), taken)
    await assert.rejects(invitations.resend(pending.id, bob), taken)
    assert.deepEqual([await all(), mails.length, happened.length], [[pending], 1, 1])
  })

  test('are mailed again with the same link and end, and by the new inviter', async () => {
    const first = await create()
    const link = await token()
    clock.advance(86_400)
    const again = await invitations.resend(first.id, bob)
    assert.deepEqual(again, { ...first, invitedBy: 2 })
    assert.deepEqual([await all(), await token()], [[again], link])
    assert.partialDeepStrictEqual(mails[1], { facts: { invitedBy: 'user2' } })
    assert.deepEqual(happened[1], ['invitation_resent', { invitation: first.id, roles: ['USER'] }])
    const byOperator = await invitations.resend(first.id, 'operator')
    assert.deepEqual(byOperator, { ...first, invitedBy: null, isOfOperator: true })
  })

  test('begin again after their end, and replace a row that was made in between', async () => {
    const first = await create()
    const link = await token()
    clock.advance(7 * 86_400)
    await assert.rejects(invitations.find(link), ended('confirmation_expired'))
    const second = await create()
    const again = await invitations.resend(first.id, ann)
    assert.equal(again.expiresAt, clock.now() + 7 * day)
    assert.notEqual(await token(), link)
    const [newest, oldest] = await all()
    assert.deepEqual([newest, oldest], [{ ...second, revokedAt: clock.now() }, again])
    assert.equal((await invitations.find(await token())).invitation.id, first.id)
  })

  test('are revoked once, also after their end; the link ends', async () => {
    const { id } = await create()
    const link = await token()
    const revoked = await invitations.revoke(id)
    assert.equal(revoked.revokedAt, clock.now())
    assert.deepEqual(await all(), [revoked])
    const payload = { invitation: id, roles: ['USER'], reason: 'revoked' }
    assert.deepEqual(happened[1], ['invitation_revoked', payload])
    await assert.rejects(invitations.find(link), ended('confirmation_used'))
    await assert.rejects(invitations.revoke(id), closed(id, 'revoked'))
    await assert.rejects(invitations.resend(id, ann), closed(id, 'revoked'))
    const late = await create()
    clock.advance(7 * 86_400)
    assert.notEqual((await invitations.revoke(late.id)).revokedAt, null)
    await assert.rejects(invitations.revoke(0), unknown)
    await assert.rejects(invitations.resend(0, ann), unknown)
  })

  test('are changed as their caller may', async () => {
    const { id } = await create()
    const guard = {
      lockNames: () => [],
      authorize: async () => {
        throw new Error('refused')
      },
    }
    const assertMay = () => {
      throw new Error('may not')
    }
    const before = await all()
    await assert.rejects(invitations.revoke(id, { guard }), /refused/)
    await assert.rejects(invitations.resend(id, ann, { guard }), /refused/)
    await assert.rejects(invitations.resend(id, ann, { assertMay }), /may not/)
    assert.deepEqual([await all(), mails.length, happened.length], [before, 1, 1])
  })

  test('make the account once, with their address and roles', async () => {
    const { id } = await create({ roles: ['USER', 'ADMIN'] })
    const link = await token()
    const also: number[] = []
    const open = await invitations.find(link)
    const wanted = { profile, language: 'en', client: '::1' } as const
    await invitations.accept(open, { ...wanted, also: async (_trx, by) => void also.push(by) })
    assert.deepEqual(made, [
      {
        ...{ username: 'joe.smith', password: profile.password, mustChange: false },
        ...{ roles: open.invitation.roles, user: { name: 'Joe', email: 'Joe@example.org' } },
        language: 'en',
      },
    ])
    assert.deepEqual(also, [madeId])
    const payload = { invitation: id, roles: open.invitation.roles, user_id: madeId }
    assert.deepEqual(happened[1], ['invitation_accepted', payload])
    const [accepted] = await all()
    assert.deepEqual([accepted?.acceptedAt, accepted?.userId], [clock.now(), madeId])
    assert.deepEqual(await invitations.ofUser(madeId), [accepted])
    assert.deepEqual(await invitations.ofUser(1), [])
    const row = await db
      .selectFrom('accounts')
      .select(['verified_email', 'verified_email_key'])
      .where('user_id', '=', madeId)
      .executeTakeFirst()
    const { address, key } = addressOf('Joe')
    assert.deepEqual(row, { verified_email: address, verified_email_key: key })
    await assert.rejects(accept(link), ended('confirmation_used'))
    await db.updateTable('accounts').set({ verified_email_key: null }).execute()
    await assert.rejects(invitations.accept(open, wanted), { row: 'confirmationInvalid' })
    await assert.rejects(invitations.revoke(id), closed(id, 'accepted'))
    assert.equal(made.length, 1)
  })

  test('count while their inviter is an administrator, to the commit', async () => {
    const { id } = await create({ by: bob })
    const link = await token()
    const open = await invitations.find(link)
    const reason = { code: 'inviter_not_allowed', facts: { invitation: id, invited_by: 2 } }
    const finishing = { profile, language: 'de', client: '::1' } as const
    await db.updateTable('accounts').set({ locked: 1 }).where('user_id', '=', 2).execute()
    await assert.rejects(invitations.accept(open, finishing), invalid(reason))
    await assert.rejects(invitations.find(link), invalid(reason))
    await db.updateTable('accounts').set({ locked: 0 }).execute()
    await db.updateTable('invitations').set({ invited_by: null }).execute()
    const deleted = { ...reason, facts: { invitation: id, invited_by: null } }
    await assert.rejects(invitations.find(link), invalid(deleted))
    assert.equal(made.length, 0)
    await db.deleteFrom('invitations').execute()
    await assert.rejects(invitations.find(link), invalid({ code: 'no_such_invitation' }))
  })

  test('are kept 90 days after their end', async () => {
    const first = await create()
    clock.advance(1)
    const second = await create({ email: addressOf('Eve') })
    clock.advance(97 * 86_400 - 1.001)
    assert.equal(await invitations.purge(10), 0)
    clock.advance(0.001)
    assert.equal(await invitations.purge(10), 1)
    assert.deepEqual(await all(), [second])
    assert.notEqual(first.id, second.id)
    clock.advance(1)
    assert.equal(await invitations.purge(10), 1)
  })

  test('are listed by pages, the newest first', async () => {
    const ids = []
    for (const name of ['a', 'b', 'c']) ids.push((await create({ email: addressOf(name) })).id)
    const page = async (...of: [number, number]) =>
      (await invitations.page(...of)).map(({ id }) => id)
    assert.deepEqual(await page(0, 2), [ids[2], ids[1]])
    assert.deepEqual(await page(2, 2), [ids[0]])
    const { roles } = await create({ email: addressOf('d'), roles: ['GONE', 'USER'] as never })
    assert.deepEqual(invitations.rolesOf({ roles }), ['USER'])
  })
})
