import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { leaveServiceNote, runningServices } from '../../src/core/runtime/service-note.ts'
import { testApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { databaseSettings } from '../database.ts'
import { gatehouse } from './gatehouse.ts'

suite('a command with other settings than the running service', async () => {
  const app = await testApp()
  const base = { NODE_ENV: 'test', ...(await databaseSettings(app.directory)) }
  const notes = () => readdirSync(app.directory).filter((name) => name.startsWith('service-'))

  /** A service with these settings, which runs in this process while `work` does. */
  async function beside<T>(more: Record<string, string>, work: () => Promise<T>): Promise<T> {
    const env = { ...base, ...more }
    const remove = leaveServiceNote({ config: loadConfig(env), env }, app.deps.random)
    try {
      return await work()
    } finally {
      remove()
      assert.deepEqual(notes(), [], 'the note is removed')
    }
  }
  const warningsOf = async (words: string, env: Record<string, string> = {}) => {
    const { code, stderr } = await gatehouse(app.directory, words, { env })
    assert.equal(code, 0, stderr)
    return stderr
  }
  const secret = 'K7-qVx2mUe9_Zt4rLb8cNw3yPd6sHf1j'

  test('is warned of those that it depends on, by name and without their values', async () => {
    const service = { TOKEN_SECRET: secret, KEY_ROTATION_DAYS: '30', LOGIN_ATTEMPTS: '7' }
    await beside(service, async () => {
      assert.equal(
        await warningsOf('keys list --json'),
        `warning: the service that runs as process ${process.pid} has other settings: TOKEN_SECRET, KEY_ROTATION_DAYS; give this command the same\n`,
      )
      assert.match(await warningsOf('throttle list'), /has other settings: LOGIN_ATTEMPTS;/)
      assert.equal(await warningsOf('account list'), '')
      assert.equal(await warningsOf('keys list', service), '')
    })
    await beside({ ROLES: 'SUPPORT' }, async () => {
      for (const words of ['account list', `account unlock ${app.admin.username}`]) {
        assert.match(await warningsOf(words), /has other settings: ROLES;/)
      }
    })
    assert.equal(await warningsOf('keys list'), '', 'no service runs')
  })

  test('changes no key if they decide which key signs: it would end the one that does', async () => {
    const listed = await gatehouse(app.directory, 'keys list --json')
    const { kid } = JSON.parse(listed.stdout).find(
      (row: { purpose: string; signs: boolean }) => row.purpose === 'signing' && row.signs,
    )
    const { keys } = await app.rows()
    const env = { TOKEN_SECRET: secret, REFRESH_TOKEN_SECONDS: '3600' }
    await beside({}, async () => {
      for (const words of [`keys retire ${kid}`, 'keys rotate', 'keys rotate --refresh']) {
        assert.deepEqual(await gatehouse(app.directory, words, { env }), {
          code: 4,
          stdout: '',
          stderr: `error: the service that runs as process ${process.pid} has other settings: TOKEN_SECRET, REFRESH_TOKEN_SECONDS; give this command the same\n`,
        })
      }
      assert.deepEqual((await app.rows()).keys, keys)
    })
  })

  test('is warned of another database, and of none if only the password differs', () => {
    const config = loadConfig(base)
    const at = (postgres: object) => ({
      config: { ...config, database: { ...config.database, postgres } } as typeof config,
      env: base,
    })
    const one = { host: 'one.example', port: 5432, database: 'gatehouse', password: 'a' }
    const remove = leaveServiceNote(at(one), app.deps.random)
    after(remove)
    const different = (options: Parameters<typeof runningServices>[0]) =>
      runningServices(options, ['DATABASE_URL']).flatMap((found) => found.different)
    assert.deepEqual(different({ config, env: base }), ['DATABASE_URL'])
    assert.deepEqual(different(at({ ...one, host: 'two.example' })), ['DATABASE_URL'])
    assert.deepEqual(different(at({ ...one, database: 'other' })), ['DATABASE_URL'])
    assert.deepEqual(different(at({ ...one, password: 'b' })), [])
    remove()
  })

  test("the note is this user's alone, and holds no setting that could be guessed from it", async () => {
    await beside(
      { ADMIN_PASSWORD: 'seven lamps in a quiet harbour', TOKEN_SECRET: secret },
      async () => {
        const path = join(app.directory, `service-${process.pid}.json`)
        assert.equal(statSync(path).mode & 0o777, 0o600)
        const text = readFileSync(path, 'utf8')
        const { settings } = JSON.parse(text)
        assert.ok(!text.includes('lamps') && !text.includes(secret))
        assert.equal(settings.ADMIN_PASSWORD, undefined)
        for (const digest of Object.values(settings)) assert.match(String(digest), /^[\w-]{6}$/)
      },
    )
  })

  test('the note of a killed process, of another one with its number, or of no sense is ignored', async () => {
    const { pid } = spawnSync('true')
    const env = { ...base, TOKEN_SECRET: secret }
    const options = { config: loadConfig(env), env }
    leaveServiceNote(options, app.deps.random, pid)
    assert.deepEqual(notes(), [`service-${pid}.json`])
    assert.equal(await warningsOf('keys list'), '')

    const own = join(app.directory, `service-${process.pid}.json`)
    const note = JSON.parse(readFileSync(join(app.directory, `service-${pid}.json`), 'utf8'))
    for (const text of [
      JSON.stringify({ ...note, pid: process.pid, process: 'an earlier one' }),
      '{"pid":',
      'null',
      '{"pid":1}',
    ]) {
      writeFileSync(own, text)
      assert.equal(await warningsOf('keys list'), '', text)
    }
    const remove = leaveServiceNote(options, app.deps.random)
    assert.deepEqual(notes(), [`service-${process.pid}.json`], 'the next start removes them')
    assert.match(await warningsOf('keys list'), /TOKEN_SECRET/)
    remove()
  })

  test('a data directory that is not there is not made for a note', () => {
    const env = { ...base, DATA_DIR: join(app.directory, 'none') }
    leaveServiceNote({ config: loadConfig(env), env }, app.deps.random)()
    assert.ok(!existsSync(env.DATA_DIR))
  })

  test('without DATA_DIR and DATABASE_URL it is warned, unless a service runs there', async () => {
    const folder = join(app.directory, 'data')
    mkdirSync(folder)
    const call = { config: loadConfig({ ...base, DATA_DIR: folder }), settings: [] }
    const { warnOfOtherSettings } = await import('../../src/core/cli/other-settings.ts')
    const told = async (env: Record<string, string>) => {
      let text = ''
      const stderr = {
        write(part: string) {
          text += part
        },
      }
      const given = { ...call, terminal: { env: { NODE_ENV: 'test', ...env }, stderr } }
      await warnOfOtherSettings(given as unknown as Parameters<typeof warnOfOtherSettings>[0])
      return text
    }
    assert.match(await told({}), /^warning: no service runs on .*data, the default: [^\n]+\n$/)
    assert.equal(await told({ DATA_DIR: folder }), '')
    assert.equal(await told({ DATABASE_URL_FILE: '/run/secrets/database' }), '')
    const remove = leaveServiceNote(
      { config: call.config, env: { NODE_ENV: 'test' } },
      app.deps.random,
    )
    assert.equal(await told({}), '')
    remove()
  })
})
