import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { startService } from '../../tools/service.ts'
import { connectTo, databaseSettings } from '../database.ts'

const root = join(import.meta.dirname, '../..')
const password = 'seven lamps in a quiet harbour'

suite('gatehouse as a process beside the service', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const database = await databaseSettings(directory)
  const service = await startService(
    [process.execPath, 'src/main.ts'],
    { ADMIN_PASSWORD: password, ...database },
    directory,
  )
  after(async () => {
    await service.stop()
    service.remove()
  })

  function start(words: string, env: Record<string, string> = {}) {
    return spawn(process.execPath, ['src/cli/main.ts', ...words.split(' ')], {
      cwd: root,
      env: { ...process.env, ...database, ...env },
      timeout: 90_000, // the machine may be busy
    })
  }

  async function gatehouse(words: string, stdin = '') {
    const child = start(words)
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdin.end(stdin)
    const [code] = await once(child, 'close')
    return { code, stdout, stderr }
  }

  async function status(path: string, headers: Record<string, string>) {
    const response = await fetch(service.url + path, { headers })
    await response.arrayBuffer()
    return response.status
  }

  async function login(mode: string) {
    const body = new URLSearchParams({ username: 'ann', password, mode })
    return fetch(`${service.url}/login`, { method: 'POST', body })
  }

  test('an account that it makes logs in; a lock ends session, bearer and Basic at once', async () => {
    const words = 'account add ann --email ann@example.org --password-stdin'
    assert.deepEqual(await gatehouse(words, `${password}\n`), {
      code: 0,
      stdout: 'ann is made, for user 2, with USER\n',
      stderr: '',
    })
    const [cookie = ''] = (await login('session')).headers.getSetCookie()
    const { token } = (await (await login('token')).json()) as { token: string } // the contract
    const statuses = async () => [
      await status('/api/protected', { cookie: cookie.split(';')[0] ?? '' }),
      await status('/api/me', { authorization: `Bearer ${token}` }),
      await status('/users', { authorization: `Basic ${btoa(`ann:${password}`)}` }),
    ]
    assert.deepEqual(await statuses(), [200, 200, 200])
    assert.equal((await gatehouse('account lock ann')).code, 0)
    assert.deepEqual(await statuses(), [401, 401, 401])
    assert.equal((await gatehouse('account lock admin')).code, 4)
  })

  test('a reader that leaves early ends a list quietly', async () => {
    const { db } = await connectTo({ directory })
    const user = { name: 'one of many', email: 'many@example.org', name_key: '', email_key: '' }
    const atOnce = Array.from({ length: 4000 }, () => user)
    for (let left = 5; left > 0; left -= 1) await db.insertInto('users').values(atOnce).execute()
    await db.destroy()
    for (const words of ['user list', 'user list --json']) {
      const child = start(words)
      let stderr = ''
      child.stderr.on('data', (chunk) => {
        stderr += chunk
      })
      await once(child.stdout, 'data')
      child.stdout.destroy()
      assert.deepEqual([...(await once(child, 'close')), stderr], [0, null, ''])
    }
  })

  test('a follower of the audit log ends at a signal, with whole lines', async () => {
    const child = start('audit export --follow')
    let [stdout, stderr] = ['', '']
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      child.kill('SIGTERM')
    })
    assert.deepEqual([...(await once(child, 'close')), stderr], [0, null, ''])
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    assert.ok(types.includes('sensitive_read'))
  })

  test('SIGINT exits 130', async () => {
    const open = join(directory, 'open')
    writeFileSync(open, password)
    chmodSync(open, 0o644)
    const child = start('account password ann --password-stdin --verbose', {
      ADMIN_PASSWORD_FILE: open, // warned of, which shows that it runs
    })
    await once(child.stderr, 'data')
    child.kill('SIGINT')
    assert.deepEqual(await once(child, 'close'), [130, null])
  })
})
