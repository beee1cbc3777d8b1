import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { folder, passphrase, place } from '../copies.ts'
import { databaseSettings } from '../database.ts'
import { until } from '../until.ts'

const root = join(import.meta.dirname, '../..')
const signals = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const

suite('a command that is broken off', { concurrency: true }, async () => {
  const app = await testApp()
  const user = { name: 'N', email: 'many@example.org', name_key: 'n', email_key: 'many' }
  for (let left = 5; left > 0; left -= 1) {
    await app.deps.db.insertInto('users').values(Array(3000).fill(user)).execute()
  }

  async function start(
    directory: string,
    words: readonly string[],
    env: Record<string, string> = {},
  ) {
    const settings = await databaseSettings(directory)
    const program = env.DIE_AT_STATEMENT
      ? ['--import', './test/faults/die-at-statement.ts', 'test/faults/from-sources.ts']
      : ['src/cli/main.ts']
    const child = spawn(process.execPath, [...program, ...words], {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'test', ...settings, ...env },
      timeout: 120_000,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdin.end(`${passphrase}\n`)
    const ended = once(child, 'close').then(([code]) => ({ code, stderr }))
    return { child, ended }
  }

  for (const [signal, code] of signals) {
    test(`a backup that ${signal} breaks off leaves no file, says so, and can be made again`, async () => {
      const files = folder()
      const path = join(files, signal)
      const { child, ended } = await start(app.directory, ['backup', path])
      await until(() => existsSync(`${path}.partial`) || child.exitCode !== null)
      child.kill(signal)
      assert.deepEqual(await ended, { code, stderr: `broken off by ${signal}\n` })
      assert.deepEqual(readdirSync(files), [])
      const again = await start(app.directory, ['backup', path])
      assert.equal((await again.ended).code, 0)
      assert.deepEqual(readdirSync(files), [signal])

      const target = await place()
      const broken = await start(target.directory, ['restore', path], {
        DIE_AT_STATEMENT: '60',
        DIE_BY: signal,
      })
      assert.deepEqual(await broken.ended, { code, stderr: `broken off by ${signal}\n` })
      assert.deepEqual(await target.tables(), [], 'the restore was one transaction')
      assert.equal((await (await start(target.directory, ['restore', path])).ended).code, 0)
      const users = await target.deps.db
        .selectFrom('users')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      assert.equal(users.total, 15_001)
    })
  }

  test('a file that another backup is writing is left to it', async () => {
    const path = join(folder(), 'theirs')
    writeFileSync(`${path}.partial`, 'half of another')
    const { ended } = await start(app.directory, ['backup', path])
    const { code, stderr } = await ended
    assert.equal(code, 1)
    assert.match(stderr, /theirs\.partial is there: another backup is under way/)
    assert.equal(readFileSync(`${path}.partial`, 'utf8'), 'half of another')
  })
})
