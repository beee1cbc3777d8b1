import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { addressOf, madeId, signUpDeps } from '../../../test/sign-ups.ts'
import { type Invitation, stateOf } from './invitation.ts'
import { signUpOff } from './problems.ts'
import { createSignUp, type SignUpInput } from './sign-up.ts'

const wanted: SignUpInput = {
  ...{ email: 'Joe@EXAMPLE.org', language: 'de', client: '::1', flow: 'f', returnTo: '/users' },
}
const profile = { username: 'joe.smith', name: 'Joe', password: 'gravel-otter-lantern-41' }
const finishing = { profile, language: 'en', client: '::1' } as const
const notOpen = (mode: string) => ({
  ...{ row: signUpOff },
  reason: { code: 'sign_up_not_open', facts: { sign_up: mode } },
})
const invalidField =
  (path: string, en: RegExp) => (error: { row: unknown; details: unknown[] }) => {
    assert.equal(error.row, 'validationFailed')
    assert.deepEqual((error.details[0] as { path: unknown }).path, [path])
    assert.match(JSON.stringify(error.details), en)
    return true
  }

suite('sign-up', async () => {
  const it = await signUpDeps({ SIGN_UP: 'open', SIGN_UP_ROLES: 'USER,EDITOR' })
  const signUp = createSignUp(it.deps)
  const closed = (mode: 'off' | 'invitation', domains: string[] = []) =>
    createSignUp({
      ...it.deps,
      config: { ...it.config, signUp: { ...it.config.signUp, mode, domains } },
    })
  const limited = createSignUp({
    ...it.deps,
    config: { ...it.config, signUp: { ...it.config.signUp, domains: ['example.com', 'a.org'] } },
  })
  const begin = async (more: Partial<SignUpInput> = {}) => {
    const begun = await signUp.begin({ ...wanted, ...more })
    return { begun, confirmation: await signUp.find({ token: await it.token() }) }
  }

  test('mails a link and a code, and keeps the return address', async () => {
    const { begun, confirmation } = await begin()
    const { id, expiresAt } = confirmation
    const [mail] = it.mails.splice(0)
    assert.deepEqual(mail, {
      ...{ message: 'sign_up', to: { address: addressOf('Joe') }, confirmation: id },
      ...{ facts: {}, flow: 'f', expiresAt, language: 'de', client: '::1' },
    })
    assert.deepEqual([begun.id, begun.expiresAt], [id, expiresAt])
    assert.deepEqual(confirmation.facts, { return_to: '/users' })
    assert.deepEqual(it.happened.splice(0), [['sign_up_requested', { is_taken: false }]])
    assert.equal(await signUp.isTaken(confirmation), false)
    const { returnTo: _, ...without } = wanted
    await signUp.begin({ ...without, email: 'eve@example.org' })
    const { facts } = await signUp.find({ token: await it.token() })
    assert.deepEqual(facts, { return_to: null })
    it.mails.splice(0)
    it.happened.splice(0)
  })

  test('takes no address that is none', async () => {
    const refused = invalidField('email', /must be an e-mail address/)
    await assert.rejects(signUp.begin({ ...wanted, email: 'joe' }), refused)
    assert.deepEqual([it.mails, it.happened], [[], []])
  })

  test('makes the account of the address with the roles of the settings, once', async () => {
    const { confirmation } = await begin()
    const also: number[] = []
    const bad = { ...finishing, profile: { ...profile, username: '' } }
    await assert.rejects(signUp.finish(confirmation, bad), { row: 'validationFailed' })
    const owned = { ...finishing, profile: { ...profile, password: 'joe@example.org' } }
    await assert.rejects(signUp.finish(confirmation, owned), invalidField('password', /address/))
    assert.equal(it.made.length, 0)
    const account = await signUp.finish(confirmation, {
      ...finishing,
      also: async (_trx, userId) => void also.push(userId),
    })
    assert.deepEqual([account.userId, also], [madeId, [madeId]])
    assert.deepEqual(it.made.splice(0), [
      {
        ...{ username: 'joe.smith', password: profile.password, mustChange: false },
        ...{ roles: ['USER', 'EDITOR'], user: { name: 'Joe', email: 'Joe@example.org' } },
        language: 'en',
      },
    ])
    assert.equal(await signUp.isTaken(confirmation), true)
    const taken = { code: 'address_taken', facts: { user_id: madeId } }
    await assert.rejects(signUp.finish(confirmation, finishing), { reason: taken })
    await it.db.updateTable('accounts').set({ verified_email_key: null }).execute()
    await assert.rejects(signUp.finish(confirmation, finishing), { row: 'confirmationInvalid' })
    assert.deepEqual([it.made, it.happened.length], [[], 1])
  })

  test('mails the owner of a taken address a notice without a link', async () => {
    const { key, address } = addressOf('Joe')
    const verified = { verified_email: address, verified_email_key: key }
    await it.db.updateTable('accounts').set(verified).where('user_id', '=', 2).execute()
    it.mails.splice(0)
    it.happened.splice(0)
    const { expiresAt } = await signUp.begin(wanted)
    assert.deepEqual(it.mails, [
      {
        ...{ message: 'sign_up_exists', to: { userId: 2 }, facts: { username: 'user2' } },
        ...{ flow: 'f', expiresAt, language: 'de', client: '::1' },
      },
    ])
    assert.deepEqual(it.happened, [['sign_up_requested', { is_taken: true }]])
    await it.db.updateTable('accounts').set({ verified_email_key: null }).execute()
  })

  test('is closed in any other mode, also for links that were mailed before', async () => {
    const { confirmation } = await begin({ email: 'Kim@Example.org' })
    it.mails.splice(0)
    it.happened.splice(0)
    for (const mode of ['off', 'invitation'] as const) {
      const other = closed(mode)
      assert.throws(() => other.assertOpen(), notOpen(mode))
      await assert.rejects(other.begin(wanted), notOpen(mode))
      await assert.rejects(other.finish(confirmation, finishing), notOpen(mode))
    }
    it.outbox.isAvailable = false
    assert.throws(() => signUp.assertOpen(), { reason: { code: 'mail_off' } })
    it.outbox.isAvailable = true
    const refused = invalidField('email', /may not sign up here/)
    await assert.rejects(limited.begin(wanted), refused)
    await assert.rejects(limited.finish(confirmation, finishing), refused)
    assert.deepEqual([it.mails, it.happened, it.made], [[], [], []])
  })

  test('is open to the addresses of its domains alone', async () => {
    for (const email of ['joe@EXAMPLE.com', 'joe@a.org']) {
      await limited.begin({ ...wanted, email })
    }
    assert.equal(it.mails.length, 2)
    for (const email of ['joe@b.example.com', 'joe@example.com.org', 'joe@b']) {
      await assert.rejects(limited.begin({ ...wanted, email }), { row: 'validationFailed' })
    }
    assert.equal(it.mails.length, 2)
  })
})

suite('the state of an invitation', () => {
  for (const [acceptedAt, revokedAt, now, state] of [
    [null, null, 9, 'pending'],
    [null, null, 10, 'expired'],
    [1, null, 9, 'accepted'],
    [1, null, 10, 'accepted'],
    [null, 1, 9, 'revoked'],
    [null, 1, 10, 'revoked'],
  ] as const) {
    test(`accepted ${acceptedAt}, revoked ${revokedAt}, at ${now}: ${state}`, () => {
      const invitation = { acceptedAt, revokedAt, expiresAt: 10 } as unknown as Invitation
      assert.equal(stateOf(invitation, now), state)
    })
  }
})
