// A database makes a difference: proofs and codes are used in the transaction that counts them.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { seededRandom } from '../../../test/random.ts'
import { databaseWithAccounts } from '../../../test/stores.ts'
import { transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import type { Account } from '../authentication/account.ts'
import { createFactors, type FactorsDeps } from './factors.ts'
import type { FactorKind, StoredFactor } from './kinds.ts'
import { recoveryCodesIn } from './recovery-codes.ts'

const wrong = { row: 'invalidCredentials', reason: { code: 'wrong_for_tests' } }
const account = (userId: number, roles: string[] = []) => ({ userId, roles }) as unknown as Account // what it reads

suite('second factors', async () => {
  const db = await databaseWithAccounts(8)
  const clock = fixedClock()
  const told: [string, object][] = []
  const tell = (type: { name: string }, payload: object) => void told.push([type.name, payload])
  const happened = () => told.splice(0)
  const events = {
    emit: tell,
    emitInTransaction: async (_trx: unknown, type: { name: string }, payload: object) =>
      tell(type, payload),
  } as unknown as Events // what it calls

  const stored = new Map<number, (StoredFactor & { kind: string })[]>()
  /** A kind whose proof is the word `right`. */
  const kindOf = (name: string, more: Partial<FactorKind> = {}): FactorKind => ({
    ...{ name, tables: [] },
    of: async (_db, userId) => (stored.get(userId) ?? []).filter(({ kind }) => kind === name),
    async prove(_trx, _account, sent) {
      if (sent !== 'right')
        throw new ApiError('invalidCredentials', { reason: wrong.reason as never })
      return ['otp', 'mfa']
    },
    async remove(_trx, userId, id) {
      const left = (stored.get(userId) ?? []).filter((one) => one.id !== id || one.kind !== name)
      stored.set(userId, left)
    },
    async removeSince(trx, userId, since) {
      const all = await this.of(trx, userId)
      const late = all.filter(({ createdAt }) => (createdAt ?? 0) >= since)
      for (const { id } of late) await this.remove(trx, userId, id)
      return late.some(({ isConfirmed }) => isConfirmed)
    },
    ...more,
  })
  const app = kindOf('app')
  const purposes: string[] = []
  const key = kindOf('key', {
    isBothFactors: true,
    async verify(_account, sent, purpose) {
      purposes.push(purpose)
      return sent === 'signed' ? 'right' : 'wrong'
    },
  })
  const give = (userId: number, kind: string, id: string, more: Partial<StoredFactor> = {}) =>
    stored.set(userId, [
      ...(stored.get(userId) ?? []),
      { kind, id, name: null, isConfirmed: true, createdAt: 5, lastUsedAt: null, ...more },
    ])

  const changes: unknown[] = []
  const proved: unknown[] = []
  const depsWith = (kinds: readonly FactorKind[]): FactorsDeps => ({
    ...{ db, clock, events, random: seededRandom(1), factorKinds: () => kinds },
    requirements: { mustHaveFactor: ({ roles }) => roles.includes('ADMIN') },
    proved: async (_trx, sessionId, amr) => void proved.push([sessionId, amr]),
    accounts: {
      async changeSecondFactor(userId, { work, ...options }) {
        const secondFactor = await transact(db, [], work)
        changes.push([userId, secondFactor, options])
      },
    },
  })
  const factors = createFactors(depsWith([app, key]))
  const secondFactorOf = async (userId: number) =>
    (
      await db
        .selectFrom('accounts')
        .select('second_factor')
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow()
    ).second_factor

  test('are the confirmed ones, and counted by kind beside the recovery codes', async () => {
    give(1, 'app', 'a')
    give(1, 'key', 'b', { createdAt: 1 })
    give(1, 'key', 'c', { createdAt: 2 })
    give(1, 'key', 'd', { isConfirmed: false })
    await recoveryCodesIn(db).replace(1, ['AAAA', 'BBBB'], 0)
    assert.deepEqual(
      (await factors.of(1)).map(({ id }) => id),
      ['b', 'c', 'a'],
    )
    assert.deepEqual(await factors.counts(1), { recovery_codes: 2, app: 1, key: 2 })
    assert.deepEqual(await factors.counts(2), { recovery_codes: 0 })
  })

  test('that are asked for are the kinds of the account, or else the first kind', async () => {
    const both = { second_factor: 'app', second_factors: ['app', 'key'] }
    assert.deepEqual(await factors.wanted(db, 1), both)
    give(2, 'key', 'e')
    assert.deepEqual(await factors.wanted(db, 2), { second_factor: 'key' })
    assert.deepEqual(await factors.wanted(db, 3), { second_factor: 'app' })
    const one = createFactors(depsWith([key]))
    assert.deepEqual(await one.wanted(db, 1), { second_factor: 'key' })
    const none = createFactors(depsWith([]))
    await assert.rejects(none.wanted(db, 1), /no module adds a kind of factor/)
  })

  test('are sent by a field that is not empty', () => {
    const rows: [Record<string, unknown>, boolean, boolean][] = [
      [{}, false, false],
      [{ app: '', key: null, recovery_code: '' }, false, false],
      [{ app: '1' }, true, false],
      [{ key: {} }, true, true],
      [{ app: '1', key: {} }, true, false],
      [{ recovery_code: 'a' }, true, false],
    ]
    for (const [sent, isSent, isBoth] of rows) {
      assert.deepEqual([factors.isSent(sent), factors.isBothFactors(sent)], [isSent, isBoth])
    }
  })

  test('are asked for where none is sent', async () => {
    await assert.rejects(factors.prove(account(2), {}), {
      row: 'secondFactorRequired',
      extra: { second_factor: 'key' },
      reason: { code: 'second_factor_absent', facts: { user_id: 2 } },
    })
    assert.deepEqual(happened(), [])
  })

  test('are proved; a wrong proof is reported and counts, with what its caller adds', async () => {
    assert.deepEqual(await factors.prove(account(2), { app: 'right' }), ['otp', 'mfa'])
    let failed = 0
    const options = {
      failed: async () => {
        failed += 1
      },
    }
    await assert.rejects(factors.prove(account(2), { app: 'no' }, options), wrong)
    assert.equal(failed, 1)
    assert.deepEqual(happened(), [['mfa_fail', { user_id: 2 }]])
    for (let left = 4; left > 0; left -= 1) {
      await assert.rejects(factors.prove(account(2), { app: 'no' }), wrong)
    }
    const tooMany = { row: 'tooManyLoginAttempts', retryAfterSeconds: 900 }
    await assert.rejects(factors.prove(account(2), { app: 'right' }), tooMany)
    await assert.rejects(factors.prove(account(2), { recovery_code: 'A' }), tooMany)
    assert.equal(happened().length, 4)
    // Its key cannot be guessed.
    assert.deepEqual(await factors.prove(account(2), { key: 'signed' }), ['otp', 'mfa'])
    await assert.rejects(factors.prove(account(2), { key: 'no' }, options), wrong)
    assert.equal(failed, 2)
    await assert.rejects(factors.prove(account(2), { key: 'no' }), wrong)
    assert.equal(happened().length, 2)
    assert.deepEqual(purposes.splice(0), ['login', 'login', 'login'])
    await factors.prove(account(2), { key: 'signed' }, { purpose: 'other' })
    assert.deepEqual(purposes, ['other'])
  })

  test('a right proof clears the wrong ones of the account', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let left = 4; left > 0; left -= 1) {
        await assert.rejects(factors.prove(account(3), { app: 'no' }), wrong)
      }
      await factors.prove(account(3), { app: 'right' })
    }
    assert.equal(happened().length, 8)
  })

  test('a guard decides in the transaction of the proof', async () => {
    const guard = {
      lockNames: () => [],
      authorize: async () => {
        throw new Error('refused')
      },
    }
    await assert.rejects(factors.prove(account(3), { app: 'right' }, { guard }), /refused/)
    await assert.rejects(factors.renewCodes(account(1), guard), /refused/)
    assert.equal(await factors.recoveryCodesLeft(1), 2)
  })

  test('a recovery code replaces a factor, once', async () => {
    const code = { recovery_code: 'AAAA' }
    const wrongCode = {
      ...{ row: 'invalidCredentials' },
      reason: { code: 'recovery_code_wrong', facts: { user_id: 1 } },
    }
    await assert.rejects(factors.prove(account(1), { recovery_code: ['AAAA'] }), wrongCode)
    await assert.rejects(factors.prove(account(1), { recovery_code: 'CCCC' }), wrongCode)
    assert.deepEqual(happened().length, 2)
    assert.deepEqual(await factors.prove(account(1), code), ['otp', 'mfa'])
    assert.deepEqual(happened(), [['mfa_recovery_code_used', { user_id: 1, left: 1 }]])
    await assert.rejects(factors.prove(account(1), code), wrongCode)
    happened()
  })

  const factorOf = (userId: number, id: string) => async () => ({
    ...{ id, amr: ['otp', 'mfa'] as const },
    store: async () => void give(userId, 'app', id),
  })

  test('the first one comes with ten recovery codes, another one with none', async () => {
    const codes = await factors.add(account(4), factorOf(4, 'a'), { keepSession: 's' })
    assert.equal(codes.length, 10)
    assert.equal(await factors.recoveryCodesLeft(4), 10)
    assert.deepEqual(changes.splice(0), [[4, true, { keepSession: 's' }]])
    assert.deepEqual(proved.splice(0), [['s', ['otp', 'mfa']]])
    assert.deepEqual(happened(), [['mfa_enrolled', { user_id: 4 }]])
    await recoveryCodesIn(db).use(4, codes[0] ?? '')
    assert.deepEqual(await factors.add(account(4), factorOf(4, 'b'), {}), [])
    assert.equal(await factors.recoveryCodesLeft(4), 9)
    assert.deepEqual(changes.splice(0), [[4, true, {}]])
    assert.deepEqual(proved, [])
    happened()
  })

  test('a wrong first proof adds nothing, and counts where it can be guessed', async () => {
    const verify = async () => {
      throw new ApiError('invalidCredentials', { reason: wrong.reason as never })
    }
    for (const isCounted of [false, true]) {
      for (let left = 5; left > 0; left -= 1) {
        await assert.rejects(factors.add(account(5), verify, { isCounted }), wrong)
      }
    }
    await assert.rejects(factors.add(account(5), verify, {}), { row: 'tooManyLoginAttempts' })
    await assert.rejects(factors.add(account(5), verify, { isCounted: false }), wrong)
    const failed = happened()
    assert.equal(failed.length, 11)
    assert.deepEqual(failed[0], ['mfa_fail', { user_id: 5 }])
    assert.deepEqual([await factors.of(5), changes], [[], []])
  })

  test('are removed one by one or all; the recovery codes go with the last one', async () => {
    const absent = {
      row: { status: 404 },
      reason: { code: 'no_second_factor', facts: { user_id: 4 } },
    }
    give(4, 'app', 'pending', { isConfirmed: false })
    for (const id of ['none', 'pending']) {
      await assert.rejects(factors.remove(account(4), { id }), ({ row, reason }: ApiError) => {
        assert.equal((row as { status?: number }).status, absent.row.status)
        assert.deepEqual(reason, absent.reason)
        return true
      })
    }
    assert.deepEqual([changes, happened()], [[], []])
    await factors.remove(account(4, ['ADMIN']), { id: 'a', isByOwner: true, keepSession: 's' })
    assert.deepEqual(changes.splice(0), [[4, true, { keepSession: 's' }]])
    assert.deepEqual(happened(), [['mfa_removed', { user_id: 4 }]])
    assert.deepEqual(
      (await factors.of(4)).map(({ id }) => id),
      ['b'],
    )
    assert.equal(await factors.recoveryCodesLeft(4), 9)
    await factors.remove(account(4, ['ADMIN']), {})
    assert.deepEqual(changes.splice(0), [[4, false, {}]])
    assert.deepEqual([stored.get(4), await factors.recoveryCodesLeft(4)], [[], 0])
    await factors.remove(account(4), {})
    assert.deepEqual(changes.splice(0), [[4, false, {}]])
    happened()
  })

  test('the last one stays where a role asks for one, unless an administrator removes it', async () => {
    give(6, 'app', 'a')
    give(6, 'key', 'b')
    await recoveryCodesIn(db).replace(6, ['AAAA'], 0)
    await factors.remove(account(6, ['ADMIN']), { id: 'b', isByOwner: true })
    happened()
    changes.splice(0)
    const required = {
      ...{ row: 'accessDenied' },
      reason: { code: 'last_factor_required', facts: { user_id: 6 } },
    }
    const owner = { id: 'a', isByOwner: true }
    await assert.rejects(factors.remove(account(6, ['ADMIN']), owner), required)
    assert.equal(await factors.recoveryCodesLeft(6), 1)
    assert.deepEqual(changes, [])
    give(6, 'app', 'a')
    await factors.remove(account(6, ['USER']), owner)
    assert.deepEqual(changes.splice(0), [[6, false, {}]])
    happened()
  })

  test('that were added since a time are removed with their codes', async () => {
    give(7, 'app', 'a', { createdAt: 5 })
    give(7, 'key', 'b', { createdAt: 9 })
    await recoveryCodesIn(db).replace(7, ['AAAA'], 5)
    await db.updateTable('accounts').set({ second_factor: 1 }).where('user_id', '=', 7).execute()
    await factors.removeSince(db, 7, 10)
    assert.deepEqual([happened(), (await factors.of(7)).length], [[], 2])
    await factors.removeSince(db, 7, 6)
    assert.deepEqual(
      (await factors.of(7)).map(({ id }) => id),
      ['a'],
    )
    assert.deepEqual(happened(), [['mfa_removed', { user_id: 7 }]])
    assert.deepEqual([await secondFactorOf(7), await factors.recoveryCodesLeft(7)], [1, 1])
    await factors.removeSince(db, 7, 5)
    assert.deepEqual([await secondFactorOf(7), await factors.recoveryCodesLeft(7)], [0, 0])
    assert.deepEqual([await factors.of(7), happened().length], [[], 1])
    // Codes may be younger than the factor.
    give(7, 'app', 'a', { createdAt: 5 })
    await recoveryCodesIn(db).replace(7, ['AAAA'], 8)
    await factors.removeSince(db, 7, 7)
    assert.deepEqual([await factors.recoveryCodesLeft(7), happened()], [0, []])
  })

  test('ten new recovery codes replace the old ones; an account without a factor has none', async () => {
    await recoveryCodesIn(db).replace(1, ['AAAA'], 0)
    const codes = await factors.renewCodes(account(1))
    assert.equal(new Set(codes).size, 10)
    assert.equal(await factors.recoveryCodesLeft(1), 10)
    assert.equal(await recoveryCodesIn(db).use(1, 'AAAA'), false)
    assert.deepEqual(happened(), [['mfa_codes_renewed', { user_id: 1 }]])
    give(8, 'app', 'a', { isConfirmed: false })
    await assert.rejects(factors.renewCodes(account(8)), {
      ...{ row: 'invalidCredentials' },
      reason: { code: 'second_factor_removed', facts: { user_id: 8 } },
    })
    assert.deepEqual([await factors.recoveryCodesLeft(8), happened()], [0, []])
  })
})
