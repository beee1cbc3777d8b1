// A database makes a difference: what was imported is read back.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { formatNames } from '../../src/extras/import-export/foreign/formats.ts'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { realHashes, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { heard, nodes } from '../database.ts'
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
  const run = async (more = '') => {
    const words = `import --from ${product} ${config} --roles ${roles} ${file} ${more}`
    const ran = await gatehouse(app.directory, words, nodes)
    await heard(app) // the command line is another node
    return ran
  }
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

suite('what products have made themselves', async () => {
  // Made by better-auth 1.7.25 with its plugins username and admin, by the query of docs/import.md.
  const exported = `[{"id":"mDANgKBxnqKM7dUWiwc2CgwYEuq0p9cI","name":"rea","email":"rea@example.org","emailVerified":1,"image":null,"createdAt":"2026-11-27T09:27:38.012Z","updatedAt":"2026-11-27T09:27:38.012Z","username":"rea","displayUsername":"rea","role":"editors","banned":0,"banReason":null,"banExpires":null,
    "password":"b6c60a06ca61f9b44b815b591c844de5:4cbe907aba1d8022bc3e96b690296f270cc775b8d8e762cf038ae5f939a28c85f437aa9b87afdb560d2e0d153917830294a699ad1e87086f9eb49e863073e61d"}]`
  // The example of Firebase's own scrypt.
  const firebase = {
    hashConfig: `base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
      base64_salt_separator: Bw==, rounds: 8, mem_cost: 14`,
    text: JSON.stringify({
      users: [
        {
          ...{ localId: 'example', email: 'fay@example.org', salt: '42xEC+ixf3L2lw==' },
          passwordHash:
            'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
        },
      ],
    }),
  }

  test('an export of better-auth', async () => {
    const { run, login, account } = await placed('better-auth', { text: exported })
    assert.equal((await run()).stdout, '1 accounts imported\n')
    assert.equal((await login('rea', 'quiet melons')).status, 401)
    assert.equal((await login('rea', 'quiet melons \ufb01ne r\u00f3ll')).status, 200)
    assert.deepEqual((await account('rea')).roles, ['EDITOR'])
  })

  test('the example of Firebase', async () => {
    const { run, login } = await placed('firebase', firebase)
    assert.equal((await run()).stdout, '1 accounts imported\n')
    assert.equal((await login('fay@example.org', 'user2password')).status, 401)
    assert.equal((await login('fay@example.org', 'user1password')).status, 200)
  })
})
