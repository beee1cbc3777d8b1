// A database makes a difference: names are compared with rows, and progress is read beside a writer.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { importLines, line, ndjson, openImport } from '../transfer.ts'
import { until } from '../until.ts'

suite('a dry run that shows its lines', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const ann = await app.account('ann', ['EDITOR'])
  const free = (
    await app.call('POST', '/users', {
      headers,
      json: { name: 'Bo Birch', email: 'bo@example.org' },
    })
  ).body.id
  const preview = (lines: readonly object[] | string, count = 10) =>
    importLines(app, headers, lines, { query: `?dry_run=true&preview=${count}` })

  test('beside what is there now: a new account, a taken name, a taken user, a free user', async () => {
    const before = await app.rows('imports', 'import_names')
    const lines = [
      line('new', { created_at: '2024-05-06T07:08:09Z', locked: true }),
      line('Ann'.toLowerCase(), { roles: ['ADMIN'] }),
      { username: 'other', password: 'a garden of forking paths', roles: [], user_id: ann.userId },
      { username: 'bo', password: 'a garden of forking paths', roles: ['USER'], user_id: free },
    ]
    const { body, status } = await preview(lines)
    assert.deepEqual([status, body.imported, body.errors_total], [200, 0, 2])
    const [made, name, user, owner] = body.preview
    assert.deepEqual([made.outcome, made.present, made.errors], ['import', null, []])
    assert.deepEqual(made.account, {
      ...{ username: 'new', roles: ['USER'], locked: true, active: true, must_change: false },
      ...{
        created_at: '2024-05-06T07:08:09.000Z',
        user_id: null,
        password_hash: true,
        password: false,
      },
      ...{ name: 'Name of new', email: 'new@example.org' },
    })
    assert.deepEqual(
      [name.outcome, name.account.roles, name.present.roles, name.present.user_id],
      ['refuse', ['ADMIN'], ['EDITOR'], ann.userId],
    )
    assert.deepEqual(name.errors, [{ path: ['username'], message: 'exists already' }])
    assert.deepEqual(
      [user.present.username, user.account.password_hash, user.account.password],
      ['ann', false, true],
    )
    assert.deepEqual([owner.account.name, owner.account.user_id], ['Bo Birch', free])
    assert.deepEqual(await app.rows('imports', 'import_names'), before)
  })

  test('the first of each outcome, so that a mistake far behind is shown as well', async () => {
    const many = Array.from({ length: 700 }, (_, index) => line(`many${index}`))
    const { body } = await preview([...many, { username: 'x' }, line('ann')], 2)
    assert.deepEqual(
      body.preview.map(({ line: at, outcome }: { line: number; outcome: string }) => [at, outcome]),
      [
        [1, 'import'],
        [2, 'import'],
        [701, 'refuse'],
        [702, 'refuse'],
      ],
    )
    assert.equal(body.preview[2].account, null) // it cannot be read
  })

  test('of a line with thousands of mistakes the first are shown, and all are counted', async () => {
    const long = JSON.stringify({ ...line('ann'), roles: new Array(20_000).fill(1) })
    const { body, text } = await preview(`${long}\n`.repeat(20), 500)
    assert.equal(body.errors_total, 20 * 20_001)
    assert.equal(body.preview.length, 20)
    for (const { errors } of body.preview) assert.equal(errors.length, 20)
    assert.ok(text.length < 200_000, `${text.length} bytes`)
  })

  test('markup, marks of direction and long names come back as they were sent', async () => {
    const name = `<b>\u202e${'😀'.repeat(40)}</b>`
    const { body } = await preview([line('odd', { name })])
    assert.equal(body.preview[0].account.name, name)
  })

  test('without `preview` the report is as before', async () => {
    const { body } = await importLines(app, headers, [line('new')], { query: '?dry_run=true' })
    assert.deepEqual(body, { dry_run: true, lines: 1, imported: 1, errors: [], errors_total: 0 })
  })

  for (const query of ['?preview=10', '?dry_run=false&preview=10', '?dry_run=true&preview=0']) {
    test(`${query}: 400, and nothing is imported`, async () => {
      const before = await app.rows()
      const { body, status } = await importLines(app, headers, [line('new')], { query })
      assert.deepEqual(
        [status, body.error, body.details[0].path],
        [400, 'Validation failed', ['preview']],
      )
      assert.deepEqual(await app.rows(), before)
    })
  }
})

suite('the imports under way', async () => {
  const app = await testApp()
  const { url } = await app.listen()
  const headers = await app.bearer(app.admin)
  const underWay = async () => (await app.call('GET', '/api/admin/imports', { headers })).body.data

  test('say how many lines they have read, and are gone at the end', async () => {
    assert.deepEqual(await underWay(), [])
    const sending = openImport(url, headers)
    sending.push(ndjson(Array.from({ length: 600 }, (_, index) => line(`name${index}`))))
    await until(async () => (await underWay())[0]?.lines > 0)
    const [shown] = await underWay()
    assert.deepEqual([shown.lines, shown.dry_run], [500, false])
    assert.equal(shown.started_at, '2026-01-15T12:00:00.000Z')
    sending.close()
    assert.equal((await sending.answer).status, 200)
    assert.deepEqual(await underWay(), [])
  })

  test('one whose process is gone is not shown', async () => {
    const row = { state: 'open', seen_at: app.clock.now() - 300_001 } as const
    await app.deps.db.insertInto('imports').values(row).execute()
    assert.deepEqual(await underWay(), [])
  })
})
