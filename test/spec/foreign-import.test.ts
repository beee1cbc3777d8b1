// A database makes a difference: what was imported is read back.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { formatNames } from '../../src/extras/import-export/foreign/formats.ts'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { realHashes, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { type ForeignExport, foreignExports, roleNames, totpSecret } from '../foreign-exports.ts'
import { storedHash } from '../hashes.ts'

const password = 'quiet melons roll'

/** A service with the export beside its database. */
async function placed(product: string, made: ForeignExport) {
  const app = await testApp(realHashes)
  const headers = await app.bearer(app.admin)
  const write = (name: string, text: string) => {
    const path = join(app.directory, name)
    writeFileSync(path, text)
    return path
  }
  const roles = write(
    'roles.json',
    JSON.stringify(Object.fromEntries(roleNames.map((name) => [name, 'EDITOR']))),
  )
  const config = made.hashConfig ? `--hash-config ${write('config', made.hashConfig)}` : ''
  const file = write('export', made.text)
  const run = (more = '') =>
    gatehouse(app.directory, `import --from ${product} ${config} --roles ${roles} ${file} ${more}`)
  const account = async (username: string) =>
    (await app.call('GET', `/api/admin/accounts/${encodeURIComponent(username)}`, { headers })).body
  const login = (username: string, text = password) =>
    app.call('POST', '/login', { json: { username, password: text, mode: 'token' } })
  const verified = async (userId: number) => {
    const query = app.deps.db.selectFrom('accounts').select('verified_email')
    return (await query.where('user_id', '=', userId).executeTakeFirstOrThrow()).verified_email
  }
  return { app, headers, run, account, login, write, verified }
}

test('each format has an export here', () => {
  assert.deepEqual(Object.keys(foreignExports), formatNames)
})

for (const [product, make] of Object.entries(foreignExports)) {
  suite(`accounts of ${product}`, async () => {
    const made = await make(password)
    const { app, headers, run, account, login, write, verified } = await placed(product, made)
    const { lacks = [], username = 'ann' } = made
    const bobName = username === 'ann' ? 'bob' : 'bob@example.org'

    test('a dry run tells what would be imported, and changes nothing', async () => {
      const before = await app.rows('imports')
      const { code, stdout, stderr } = await run('--dry-run')
      assert.deepEqual([code, stdout], [0, '2 accounts would be imported\n'], stderr)
      assert.deepEqual(await app.rows('imports'), before)
    })

    test('sign in by their password; their hash is replaced; no role is guessed', async () => {
      const { code, stdout, stderr } = await run()
      assert.deepEqual([code, stdout], [0, '2 accounts imported\n'], stderr)
      assert.match(stderr, /^no role for "ADMIN" \(1 accounts\): --roles$/m)
      const ann = await account(username)
      assert.deepEqual([ann.roles, ann.active, ann.locked], [['EDITOR'], true, false])
      const user = await app.call('GET', `/users/${ann.user_id}`, { headers })
      assert.deepEqual([user.body.name, user.body.email], ['Known ann', 'ann@example.org'])
      if (product !== 'authelia') assert.equal(ann.created_at.slice(0, 10), '2024-05-06')
      const stored = await storedHash(app, ann.user_id)
      assert.equal(stored.startsWith('$wrapped$'), made.storesWrapped === true, stored)
      assert.equal((await login(username, 'another password')).status, 401)
      assert.equal(await storedHash(app, ann.user_id), stored)
      const json = { username, password, mode: 'token' }
      if (made.totp) {
        const refused = await app.call('POST', '/login', { json })
        assert.deepEqual([refused.status, refused.body.error], [401, 'Second factor required'])
      }
      const step = Math.floor(app.clock.now() / 1000 / stepSeconds)
      const totp = made.totp ? { totp: codeOfStep(totpSecret, step) } : {}
      const accepted = await app.call('POST', '/login', { json: { ...json, ...totp } })
      assert.equal(accepted.status, 200, accepted.text)
      assert.match(await storedHash(app, ann.user_id), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      assert.equal((await login(username)).status, made.totp ? 401 : 200)
      assert.equal(
        await verified(ann.user_id),
        lacks.includes('verified') ? null : 'ann@example.org',
      )
      const bob = await account(bobName)
      assert.deepEqual([bob.roles, bob.active], [[], lacks.includes('disabled')])
    })

    test('a second run of the same export changes nothing', async () => {
      const before = await app.rows('imports')
      const { code, stdout, stderr } = await run()
      assert.deepEqual([code, stdout], [0, '0 accounts imported\n'], stderr)
      assert.deepEqual(await app.rows('imports'), before)
    })

    test('a later export changes its accounts, and keeps what belongs to their owners', async () => {
      const { user_id } = await account(username)
      const hash = await storedHash(app, user_id)
      const later = await make('another password')
      write(
        'export',
        later.text
          .replace(/\bknown ann|Known ann/, 'Changed ann')
          .replace(/("lastName": *)"ann"/, '$1"changed"')
          .replace('"last":"ann"', '"last":"changed"')
          .replace('Known\n  ann', 'Changed ann'),
      )
      const before = await app.rows('imports')
      const dry = await run('--dry-run')
      assert.match(
        dry.stdout,
        /^ann\S*: name "Known ann" -> "(Changed ann|Known changed)"\n0 accounts would be imported, 1 would be changed\n$/,
      )
      assert.deepEqual(await app.rows('imports'), before)
      const { code, stdout, stderr } = await run()
      assert.deepEqual([code, stdout], [0, '0 accounts imported, 1 changed\n'], stderr)
      const user = await app.call('GET', `/users/${user_id}`, { headers })
      assert.match(user.body.name, /^(Changed ann|Known changed)$/)
      assert.equal(await storedHash(app, user_id), hash)
    })
  })
}
