// A database makes a difference: values of a staged import, and a unique index.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { profileFile } from '../profile-file.ts'
import { exportPath, importLines, line, readLines } from '../transfer.ts'

const file = profileFile(
  {
    team: { type: 'string', maxLength: 10, write: 'owner' },
    badge: { type: 'integer', unique: true },
    note: { type: 'string', read: 'admin' },
  },
  ['team'],
)

suite('profile fields of an import and an export', async () => {
  const app = await testApp({ PROFILE_FILE: file })
  const headers = await app.bearer(app.admin)
  const send = (lines: readonly object[], query = '') => importLines(app, headers, lines, { query })
  const stored = async () => (await app.rows()).profile_values
  /** As a report lists it, or an error. */
  const mistake = (at: number, path: readonly string[], message: string, isRefused = true) =>
    isRefused
      ? { path: [`line ${at}`, 'profile', ...path], message }
      : { line: at, path: ['profile', ...path], message }

  test('values come in with their accounts, and go out again', async () => {
    const profile = { team: 'Blue', badge: 7, note: 'Key 7' }
    const { body } = await send([line('ann', { profile }), line('bea')])
    assert.deepEqual([body.imported, body.errors], [2, []])
    const { text } = await app.call('GET', exportPath, { headers })
    const lines = readLines(text)
    assert.deepEqual(lines.find(({ username }) => username === 'ann')?.profile, profile)
    assert.ok(!('profile' in (lines.find(({ username }) => username === 'bea') ?? {})))
  })

  for (const query of ['', '?dry_run=true']) {
    test(`mistakes are reported by line, and nothing is imported${query && ' (dry run)'}`, async () => {
      const before = await app.rows()
      const lines = [
        line('cleo', { profile: { team: 'Far too long a name', other: 1 } }),
        line('dora', { profile: 'Blue' }),
        line('emma', { profile: { badge: 7 } }),
        line('fay', { profile: { badge: 8 } }),
        line('gil', { profile: { badge: 8 } }),
      ]
      const { body, status } = await send(lines, query)
      const isRefused = query === ''
      const errors = isRefused ? body.details : body.errors
      assert.equal(status, isRefused ? 400 : 200)
      assert.deepEqual(errors, [
        mistake(1, ['other'], 'is not a field of the profile', isRefused),
        mistake(1, ['team'], 'must NOT have more than 10 characters', isRefused),
        mistake(2, [], 'must be object', isRefused),
        mistake(3, ['badge'], 'is the value of another account', isRefused),
        mistake(5, ['badge'], 'is on line 4 already', isRefused),
      ])
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('a collision alone refuses the import as a whole, and its values go', async () => {
    const before = await stored()
    const { status, body } = await send([
      line('hal', { profile: { badge: 9, team: 'Red' } }),
      line('ida', { profile: { badge: 7 } }),
    ])
    assert.deepEqual(
      [status, body.details],
      [400, [mistake(2, ['badge'], 'is the value of another account')]],
    )
    assert.deepEqual(await stored(), before)
    const again = await send([line('hal', { profile: { badge: 9 } })])
    assert.equal(again.body.imported, 1)
  })
})
