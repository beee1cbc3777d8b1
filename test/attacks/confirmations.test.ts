// A database makes a difference: tries and uses are counted under races.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { transact } from '../../src/core/database/transactions.ts'
import { ApiError } from '../../src/core/errors.ts'
import { testApp } from '../app.ts'
import { confirmationsOf, otherCode } from '../confirmations.ts'

const invalid = (reason: string) => (error: unknown) =>
  error instanceof ApiError && error.row === 'confirmationInvalid' && error.reason.code === reason

/** Links and codes of mails, against a caller who has none or too many of them. */
suite('confirmations by mail', async () => {
  const app = await testApp()
  const them = await confirmationsOf(app)
  const { db } = app.deps
  const ann = await app.account('ann.smith')
  const versionOf = async (userId: number) =>
    (
      await db
        .selectFrom('token_versions')
        .select('refresh_version')
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow()
    ).refresh_version
  const ofAnn = async (more: { asked?: string } = {}) => ({
    purpose: 'reset' as const,
    userId: ann.userId,
    version: await versionOf(ann.userId),
    ...more,
  })
  const forget = async () => {
    await db.deleteFrom('confirmations').execute()
    await db.deleteFrom('mails').execute()
  }
  const use = (it: Parameters<typeof them.use>[1]) => transact(db, [], (trx) => them.use(trx, it))

  test('the link and the code are right, and nothing in the database is either', async () => {
    const { id, expiresAt, mail } = await them.begin(await ofAnn())
    assert.deepEqual([expiresAt, mail.expiresAt], Array(2).fill(app.clock.now() + 1800_000))
    const { token, code } = await them.mailed(id)
    assert.match(token, new RegExp(`^${mail.confirmation}\\.[A-Za-z0-9_-]{43}$`))
    assert.match(code, /^[0-9]{8}$/)
    const opened = await them.open(token, ['reset'])
    assert.deepEqual(opened?.address, { address: 'Ann@example.org', key: 'ann@example.org' })
    assert.equal(opened?.userId, ann.userId)
    assert.deepEqual(
      await them.openByCode(id, ` ${code.slice(0, 4)} ${code.slice(4)}`, null, ['reset']),
      {
        ...opened,
        by: 'code',
      },
    )
    const dump = JSON.stringify(await app.rows())
    for (const secret of [token, token.split('.')[1] ?? '', code, 'ann@example.org', 'Ann@']) {
      assert.ok(!JSON.stringify((await app.rows()).confirmations).includes(secret), secret)
    }
    assert.ok(!dump.includes(token) && !dump.includes(code))
    await forget()
  })

  test('ten looks at a link leave it valid', async () => {
    const { token } = await them.mailed((await them.begin(await ofAnn())).id)
    const before = await app.rows()
    for (let look = 0; look < 10; look += 1) assert.ok(await them.open(token, ['reset']))
    assert.deepEqual(await app.rows(), before)
    await forget()
  })

  test('a repeat mails the same link with the same end, and each flow has a code of its own', async () => {
    const first = await them.begin({ ...(await ofAnn()), flow: 'one' })
    const mailed = await them.mailed(first.id, 'one')
    app.clock.advance(600)
    const again = await them.begin({ ...(await ofAnn()), flow: 'two' })
    const program = await them.begin(await ofAnn())
    for (const { mail } of [again, program]) {
      assert.deepEqual(mail, { ...first.mail, flow: mail.flow })
    }
    const after = await them.mailed(again.id, 'two')
    const third = await them.mailed(program.id)
    assert.deepEqual([after.token, third.token], [mailed.token, mailed.token])
    assert.equal(new Set([mailed.code, after.code, third.code]).size, 3)
    assert.ok(await them.openByCode(first.id, mailed.code, 'one', ['reset']))
    assert.ok(await them.openByCode(first.id, after.code, 'two', ['reset']))
    assert.ok(await them.openByCode(program.id, third.code, null, ['reset']))
    await forget()
  })

  test('a program is told a new id and a full lifetime, and the code counts as long', async () => {
    const first = await them.begin(await ofAnn())
    app.clock.advance(1200)
    const again = await them.begin(await ofAnn())
    assert.notEqual(again.id, first.id)
    assert.equal(again.expiresAt - app.clock.now(), 1800_000)
    assert.equal(again.mail.expiresAt, first.mail.expiresAt)
    const { code, token } = await them.mailed(again.id)
    app.clock.advance(600) // the link has ended, and so has the first code
    assert.equal(await them.open(token, ['reset']), null)
    await assert.rejects(
      them.openByCode(first.id, code, null, ['reset']),
      invalid('confirmation_expired'),
    )
    app.clock.advance(1199.999)
    const opened = await them.openByCode(again.id, code, null, ['reset'])
    assert.equal(opened.expiresAt, again.expiresAt)
    assert.equal(await them.isOpen(opened), true)
    app.clock.advance(0.001)
    await assert.rejects(
      them.openByCode(again.id, code, null, ['reset']),
      invalid('confirmation_expired'),
    )
    await assert.rejects(use(opened), invalid('confirmation_expired'))
    await forget()
  })

  test('what the caller is told is the same for a name without an account', async () => {
    const told = async (userId: number | null) => {
      const known = userId === null ? { userId: null, version: 0, address: null } : await ofAnn()
      const start = app.clock.now()
      const ids: string[] = []
      const seconds: number[] = []
      for (const wait of [0, 900, 890, 1000, 900]) {
        app.clock.advance(wait)
        const { id, expiresAt, mail } = await them.begin({
          purpose: 'reset',
          asked: `${userId}`,
          ...known,
        })
        assert.equal(expiresAt - app.clock.now(), 1800_000)
        ids.push(mail.confirmation)
        seconds.push((mail.expiresAt - start) / 1000)
        // The account uses it in between: a stranger must not see that.
        const mailed = await them.secretsOf(id)
        assert.equal(mailed === null, userId === null)
        const opened = mailed && (await them.open(mailed.token, ['reset']))
        if (opened) await use(opened)
      }
      return { repeats: ids.map((id) => ids.indexOf(id)), seconds }
    }
    const known = await told(ann.userId)
    assert.deepEqual(known, {
      repeats: [0, 0, 2, 2, 4],
      seconds: [0, 0, 1790, 1790, 3690].map((at) => at + 1800),
    })
    assert.deepEqual(await told(null), known)
    await forget()
  })

  test('a used one is another one when it is asked for again', async () => {
    const { id, mail } = await them.begin(await ofAnn())
    const before = await them.mailed(id)
    const opened = await them.openByToken(before.token, ['reset'])
    assert.equal(await them.isOpen(opened), true)
    await use(opened)
    assert.equal(await them.isOpen(opened), false)
    assert.deepEqual((await them.begin(await ofAnn())).mail.confirmation, mail.confirmation)
    assert.equal(await them.isOpen(opened), false)
    const after = await them.mailed(id)
    assert.notEqual(after.token, before.token)
    await assert.rejects(them.openByToken(before.token, ['reset']), invalid('confirmation_wrong'))
    await assert.rejects(use(opened), invalid('confirmation_used'))
    assert.ok(await them.open(after.token, ['reset']))
    await forget()
  })

  test('of 50 uses at once one succeeds', async () => {
    const { token } = await them.mailed((await them.begin(await ofAnn())).id)
    const opened = await them.openByToken(token, ['reset'])
    const settled = await Promise.allSettled(Array.from({ length: 50 }, () => use(opened)))
    const failed = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    assert.equal(failed.length, 49)
    for (const error of failed) assert.ok(invalid('confirmation_used')(error), String(error))
    await forget()
  })

  test('a use that is rolled back leaves it valid', async () => {
    const { token } = await them.mailed((await them.begin(await ofAnn())).id)
    const opened = await them.openByToken(token, ['reset'])
    const failing = transact(db, [], async (trx) => {
      await them.use(trx, opened)
      throw new Error('later')
    })
    await assert.rejects(failing, /later/)
    await use(opened)
    await forget()
  })

  test('the sixth code is not judged, and the count outlives the refusal', async () => {
    const { id } = await them.begin(await ofAnn())
    const { code, token } = await them.mailed(id)
    for (let by = 1; by <= 5; by += 1) {
      const wrong = them.openByCode(id, otherCode(code, by), null, ['reset'])
      await assert.rejects(wrong, invalid('confirmation_wrong'))
    }
    const right = () => them.openByCode(id, code, null, ['reset'])
    await assert.rejects(right(), invalid('confirmation_tries_used'))
    await them.begin({ ...(await ofAnn()), flow: 'another' }) // a repeat gives no more
    await assert.rejects(right(), invalid('confirmation_tries_used'))
    assert.equal(await them.triesOf(id), 5)
    assert.ok(await them.open(token, ['reset'])) // the link still counts
    await forget()
  })

  test('of codes at once five are judged', async () => {
    const { id } = await them.begin(await ofAnn())
    const { code } = await them.mailed(id)
    const guesses = Array.from({ length: 20 }, (_, by) =>
      them.openByCode(id, otherCode(code, by + 1), null, ['reset']),
    )
    const settled = await Promise.allSettled(guesses)
    const judged = settled.filter(
      (one) => one.status === 'rejected' && invalid('confirmation_wrong')(one.reason),
    )
    assert.equal(judged.length, 5)
    await forget()
  })

  test('wrong codes of one flow leave those of every other flow', async () => {
    const mine = await them.begin({ ...(await ofAnn()), flow: 'mine' })
    const { code } = await them.mailed(mine.id, 'mine')
    for (const flow of ['theirs', null]) {
      const { id } = await them.begin({ ...(await ofAnn()), flow })
      const wrong = otherCode((await them.mailed(id, flow)).code)
      for (let by = 0; by < 7; by += 1) {
        await assert.rejects(
          them.openByCode(id, wrong, flow, ['reset']),
          invalid(by < 5 ? 'confirmation_wrong' : 'confirmation_tries_used'),
        )
      }
    }
    assert.ok(await them.openByCode(mine.id, code, 'mine', ['reset']))
    await forget()
  })

  test('a flow that asks again has the same code and no more tries', async () => {
    const first = await them.begin({ ...(await ofAnn()), flow: 'mine' })
    const { code } = await them.mailed(first.id, 'mine')
    const guess = () => them.openByCode(first.id, otherCode(code), 'mine', ['reset'])
    for (let by = 0; by < 3; by += 1) await assert.rejects(guess(), invalid('confirmation_wrong'))
    app.clock.advance(60)
    const again = await them.begin({ ...(await ofAnn()), flow: 'mine' })
    assert.equal(again.id, first.id)
    assert.equal((await them.mailed(first.id, 'mine')).code, code)
    for (let by = 0; by < 2; by += 1) await assert.rejects(guess(), invalid('confirmation_wrong'))
    await assert.rejects(
      them.openByCode(first.id, code, 'mine', ['reset']),
      invalid('confirmation_tries_used'),
    )
    await forget()
  })

  test('a code that no mail has counts for nothing: guesses are bounded by the mails', async () => {
    const { id } = await them.begin(await ofAnn(), 'dropped')
    const { code } = await them.mailed(id)
    for (let by = 0; by < 5; by += 1) {
      await assert.rejects(
        them.openByCode(id, code, null, ['reset']),
        invalid('confirmation_wrong'),
      )
    }
    await assert.rejects(
      them.openByCode(id, code, null, ['reset']),
      invalid('confirmation_tries_used'),
    )
    await forget()
  })

  test('a mail without a code in the same flow makes no unmailed code count', async () => {
    const { id } = await them.begin({ ...(await ofAnn()), flow: 'both' }, 'dropped')
    const { code } = await them.mailed(id, 'both')
    app.clock.advance(1)
    const taken = await them.begin({ ...(await ofAnn({ asked: 'taken' })), flow: 'both' })
    await db
      .updateTable('mails')
      .set({ confirmation: null })
      .where('confirmation', '=', taken.mail.confirmation)
      .execute()
    await assert.rejects(
      them.openByCode(id, code, 'both', ['reset']),
      invalid('confirmation_wrong'),
    )
    await forget()
  })

  test('a code of a node of the version before counts, with five tries', async () => {
    const begun = await them.begin(await ofAnn())
    const { confirmation } = begun.mail
    const { code } = await them.mailed(begun.id)
    // Such a node names the flow in the confirmation alone, or none for a program.
    await db.deleteFrom('mails').where('confirmation', '=', confirmation).execute()
    const sent = await app.deps.db
      .selectFrom('confirmations')
      .select('flow')
      .where('id', '=', confirmation)
      .executeTakeFirstOrThrow()
    const open = (typed: string) => them.openByCode(confirmation, typed, sent.flow, ['reset'])
    assert.ok(await open(code))
    for (let by = 1; by <= 4; by += 1) {
      await assert.rejects(open(otherCode(code, by)), invalid('confirmation_wrong'))
    }
    await assert.rejects(open(code), invalid('confirmation_tries_used'))
    await forget()
  })

  test('a name without an account has as many codes as one with', async () => {
    const unknown = { userId: null, version: 0, address: null }
    const { id } = await them.begin({ purpose: 'reset', asked: 'no.one@example.org', ...unknown })
    const reasons: string[] = []
    for (let count = 0; count < 6; count += 1) {
      const error = await them.openByCode(id, '00000000', null, ['reset']).catch((e: unknown) => e)
      reasons.push(error instanceof ApiError ? error.reason.code : 'accepted')
    }
    assert.deepEqual(reasons, [...Array(5).fill('confirmation_wrong'), 'confirmation_tries_used'])
    await forget()
  })

  test('a code counts in the flow that asked for it alone', async () => {
    const { id } = await them.begin({ ...(await ofAnn()), flow: 'mine' })
    const { code } = await them.mailed(id, 'mine')
    for (const flow of ['yours', null]) {
      const elsewhere = them.openByCode(id, code, flow, ['reset'])
      await assert.rejects(elsewhere, invalid('confirmation_wrong'))
    }
    assert.ok(await them.openByCode(id, code, 'mine', ['reset']))
    await forget()
  })

  test('one of another purpose, of another row or of another account is none', async () => {
    const one = await them.begin(await ofAnn())
    const other = await them.begin({
      purpose: 'verification',
      userId: ann.userId,
      version: await versionOf(ann.userId),
    })
    const [mine, yours] = [await them.mailed(one.id), await them.mailed(other.id)]
    for (const purpose of [
      'sign_up',
      'verification',
      'email_change',
      'sign_in',
      'invitation',
    ] as const) {
      await assert.rejects(
        them.openByToken(mine.token, [purpose]),
        invalid('confirmation_of_another_purpose'),
      )
      await assert.rejects(
        them.openByCode(one.id, mine.code, null, [purpose]),
        invalid('confirmation_of_another_purpose'),
      )
      assert.equal(await them.open(mine.token, [purpose]), null)
    }
    const mixed = `${one.mail.confirmation}.${yours.token.split('.')[1]}`
    await assert.rejects(them.openByToken(mixed, ['reset']), invalid('confirmation_wrong'))
    await forget()
  })

  const shapes = ['', ' ', '.', 'null', 'undefined', '0', 'a'.repeat(100_000), '\0', 'é'.repeat(66)]
  for (const token of shapes) {
    test(`no link and no code: ${JSON.stringify(token.slice(0, 12))}`, async () => {
      const { id } = await them.begin(await ofAnn())
      for (const text of [token, `${id}.`, `${id}.${token}`, `.${token}`]) {
        await assert.rejects(them.openByToken(text, ['reset']), invalid('confirmation_malformed'))
        assert.equal(await them.open(text, ['reset']), null)
      }
      await assert.rejects(
        them.openByCode(id, token, null, ['reset']),
        invalid('confirmation_malformed'),
      )
      assert.equal(await them.triesOf(id), 0)
      await forget()
    })
  }

  test('it ends at its deadline, to the millisecond', async () => {
    const { token } = await them.mailed((await them.begin(await ofAnn())).id)
    app.clock.advance(1799.999)
    assert.ok(await them.open(token, ['reset']))
    app.clock.advance(0.001)
    await assert.rejects(them.openByToken(token, ['reset']), invalid('confirmation_expired'))
    await forget()
  })

  const purposes = ['reset', 'sign_in', 'verification', 'email_change', 'email_undo'] as const
  const begunFor = async (userId: number) => {
    const version = await versionOf(userId)
    const ids = new Map<(typeof purposes)[number], string>()
    for (const purpose of purposes) {
      const { id } = await them.begin({ purpose, userId, version, asked: `${userId}` })
      ids.set(purpose, (await them.mailed(id)).token)
    }
    return ids
  }
  const alive = async (tokens: Map<(typeof purposes)[number], string>) => {
    const opened = []
    for (const [purpose, token] of tokens) {
      if (await them.open(token, [purpose])) opened.push(purpose)
    }
    return opened
  }
  const asAdmin = (method: string, path: string, json?: object) =>
    app.call(method, path, { headers: app.basic(app.admin), json })

  const ends: Record<string, (username: string) => Promise<unknown>> = {
    'a new password': (name) =>
      asAdmin('PUT', `/api/admin/accounts/${name}`, { password: 'another long phrase' }),
    'a lock': (name) => asAdmin('PUT', `/api/admin/accounts/${name}`, { locked: true }),
    'the end of active': (name) => asAdmin('PUT', `/api/admin/accounts/${name}`, { active: false }),
  }
  let number = 0
  for (const [what, end] of Object.entries(ends)) {
    test(`${what} ends all of an account but the way back to an address`, async () => {
      number += 1
      const { userId, username } = await app.account(`victim-${number}`)
      const tokens = await begunFor(userId)
      assert.deepEqual(await alive(tokens), [...purposes])
      await end(username)
      assert.deepEqual(await alive(tokens), ['email_undo'])
      if (what === 'a new password') return
      // What ends them is no state that can be taken back.
      await asAdmin('PUT', `/api/admin/accounts/${username}`, { locked: false, active: true })
      assert.deepEqual(await alive(tokens), ['email_undo'])
    })
  }

  test('the deletion of an account ends all', async () => {
    const { userId, username } = await app.account('leaver')
    const tokens = await begunFor(userId)
    assert.equal((await asAdmin('DELETE', `/api/admin/accounts/${username}`)).status, 200)
    assert.deepEqual(await alive(tokens), [])
  })

  test('one that was read before the password changed is not used after it', async () => {
    const { userId, username } = await app.account('hesitant')
    const token = (await begunFor(userId)).get('reset') ?? ''
    const opened = await them.openByToken(token, ['reset'])
    await ends['a new password']?.(username)
    await assert.rejects(use(opened), invalid('confirmation_outlived'))
  })

  test('cancelAll ends those of one account, and by default not the way back', async () => {
    const other = await app.account('bystander')
    const [mine, theirs] = [await begunFor(ann.userId), await begunFor(other.userId)]
    await transact(db, [], (trx) => them.cancelAll(trx, ann.userId, ['sign_in']))
    assert.deepEqual(
      await alive(mine),
      purposes.filter((purpose) => purpose !== 'sign_in'),
    )
    await transact(db, [], (trx) => them.cancelAll(trx, ann.userId))
    assert.deepEqual(await alive(mine), ['email_undo'])
    assert.deepEqual(await alive(theirs), [...purposes])
    await forget()
  })

  test('another new address replaces the one before; two accounts may want the same', async () => {
    const other = await app.account('rival')
    const wanted = async (userId: number, key: string) => {
      const { id } = await them.begin({
        purpose: 'email_change',
        userId,
        version: await versionOf(userId),
        asked: key,
        address: { address: key, key },
      })
      return (await them.mailed(id)).token
    }
    const first = await wanted(ann.userId, 'first@example.org')
    const theirs = await wanted(other.userId, 'second@example.org')
    const second = await wanted(ann.userId, 'second@example.org')
    assert.equal(await them.open(first, ['email_change']), null)
    assert.equal((await them.open(theirs, ['email_change']))?.userId, other.userId)
    assert.equal((await them.open(second, ['email_change']))?.userId, ann.userId)
    await forget()
  })

  test('the address that waits for its proof is told until it is used, withdrawn or outlived', async () => {
    const pending = () => them.pending(ann.userId, ['email_change'])
    const begin = async () =>
      them.begin({
        ...(await ofAnn()),
        purpose: 'email_change',
        address: { address: 'New@example.org', key: 'new@example.org' },
      })
    assert.equal(await pending(), null)
    const { expiresAt, mail } = await begin()
    const id = mail.confirmation
    const address = { address: 'New@example.org', key: 'new@example.org' }
    assert.deepEqual(await pending(), { id, address, expiresAt })
    assert.equal(await them.pending(ann.userId, ['verification']), null)
    await transact(db, [], (trx) => them.cancelAll(trx, ann.userId))
    assert.equal(await pending(), null)
    await begin()
    app.clock.advance(3600)
    assert.equal(await pending(), null)
    await forget()
  })

  test('at once one name begins one', async () => {
    const wanted = await ofAnn()
    const begun = await Promise.all(Array.from({ length: 10 }, () => them.begin(wanted)))
    assert.equal(new Set(begun.map(({ mail }) => mail.confirmation)).size, 1)
    assert.equal(new Set(begun.map(({ id }) => id)).size, 10)
    await forget()
  })

  test('a sealed part that was copied to another row does not open', async () => {
    const mine = await them.begin(await ofAnn())
    const other = await app.account('copied')
    const theirs = await them.begin({
      purpose: 'reset',
      userId: other.userId,
      version: await versionOf(other.userId),
      asked: 'copied',
    })
    const { token } = await them.mailed(theirs.id)
    const sealed = (await them.stored(mine.id))?.sealed ?? ''
    await db
      .updateTable('confirmations')
      .set({ sealed })
      .where('id', '=', theirs.mail.confirmation)
      .execute()
    await assert.rejects(them.open(token, ['reset']))
    await forget()
  })

  test('the job deletes them when no code of theirs can count any more', async () => {
    const { id } = await them.begin(await ofAnn())
    const purge = () => app.app.jobs.find(({ name }) => name === 'expired confirmations')?.run()
    app.clock.advance(1800 + 86_399)
    await purge()
    assert.ok(await them.stored(id))
    app.clock.advance(1)
    await purge()
    assert.equal(await them.stored(id), null)
  })
})
