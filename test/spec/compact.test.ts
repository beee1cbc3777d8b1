// A database makes a difference: each keeps bytes of deleted rows in its own way.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { type TestApp, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { testDatabase } from '../database.ts'
import { filesIn } from '../faults/erasure.ts'

const texts = ['wabbelblom', 'quintessa']

/** All bytes of the database and of the data directory, as text in small letters. */
async function bytesOf({ deps, directory }: TestApp): Promise<string> {
  const files = filesIn(directory).map((path) => readFileSync(path).toString('latin1'))
  if (testDatabase === 'postgres') {
    await sql`checkpoint`.execute(deps.db)
    const { rows } = await sql<{ path: string | null }>`
      select pg_relation_filepath(oid) as path from pg_class
      where relkind in ('r', 'i', 't')`.execute(deps.db)
    for (const { path } of rows) {
      if (path === null) continue
      const { rows: read } = await sql<{ text: string | null }>`
        select encode(pg_read_binary_file(${path}, 0, 100000000, true), 'escape') as text`.execute(
        deps.db,
      )
      files.push(read[0]?.text ?? '')
    }
  }
  return files.join('\n').toLowerCase()
}

suite('gatehouse compact', async () => {
  const app = await testApp({ LOG_LEVEL: 'debug' })
  const headers = await app.bearer(app.admin)

  // The service of a test holds no lock of its data directory: the command runs beside it on SQLite too.
  test('nothing of an erased person is left in any byte', async () => {
    const users: number[] = []
    for (let number = 0; number < 30; number += 1) {
      const json = { name: `Quintessa ${number}`, email: `q${number}@wabbelblom.example` }
      const { body } = await app.call('POST', '/users', { headers, json })
      users.push(body.id)
    }
    const account = await app.account('wabbelblom')
    await app.call('GET', '/api/v2/users?q=quintessa', { headers })
    await app.call('POST', '/login', { json: { username: 'wabbelblom', password: 'wrong' } })
    if (testDatabase === 'postgres') await sql`analyze`.execute(app.deps.db)
    const found = await bytesOf(app)
    for (const text of texts) assert.ok(found.includes(text), `the search finds ${text}`)

    for (const id of users) await app.call('DELETE', `/users/${id}`, { headers })
    const own = await app.session(account)
    const json = { username: 'Wabbelblom', current_password: account.password }
    assert.equal((await app.call('DELETE', '/api/account', { headers: own, json })).status, 200)
    const deleted = await bytesOf(app)
    assert.ok(
      texts.some((text) => deleted.includes(text)),
      'a deletion alone leaves bytes',
    )

    const { code, stdout, stderr } = await gatehouse(app.directory, 'compact --json')
    assert.equal(code, 0, stderr)
    const { before, after } = JSON.parse(stdout)
    assert.ok(before > 0 && after > 0)
    const left = await bytesOf(app)
    for (const text of texts) assert.ok(!left.includes(text), text)
    assert.doesNotMatch(JSON.stringify(app.log), /wabbelblom|quintessa/i)
  })

  test('a line of a request has the id of its path, and no username that is a number', async () => {
    const { userId, username } = await app.account('4915112345678')
    await app.call('GET', `/api/admin/accounts/${username}`, { headers })
    await app.call('GET', `/users/${userId}`, { headers })
    const lines = app.log.filter(({ msg }) => msg === 'request')
    const last = (route: string) => lines.findLast((line) => line.route === route)?.ids
    assert.deepEqual(last('/api/admin/accounts/:username'), {})
    assert.deepEqual(last('/users/:id'), { id: userId })
    assert.doesNotMatch(JSON.stringify(app.log), /4915112345678/)
  })

  test('what is there stays, is found, and the audit log is whole', async () => {
    const json = { name: 'Vera', email: 'vera@example.org' }
    assert.equal((await app.call('POST', '/users', { headers, json })).status, 201)
    assert.equal((await gatehouse(app.directory, 'compact')).code, 0)
    const { body } = await app.call('GET', '/api/v2/users?q=vera', { headers })
    assert.equal(body.total, 1)
    assert.equal((await gatehouse(app.directory, 'audit verify')).code, 0)
  })
})
