import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import { isoTime } from '../../src/core/lib/clock.ts'
import { createEncryptedKeyBundle } from '../../src/extras/backup/encrypted-key-bundle.ts'
import { readPassphrase } from '../../src/extras/backup/passphrase.ts'
import { testApp } from '../app.ts'
import { backup, restore } from '../backups.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { fixedClock } from '../clock.ts'
import { backupOf, folder, ofVersion1, passphrase, place, restoring } from '../copies.ts'
import { databaseSettings } from '../database.ts'

suite('a backup file', async () => {
  const app = await testApp()
  const path = await backupOf(app)
  const whole = readFileSync(path)
  const target = await place()
  const file = join(folder(), 'changed')

  /** Restores from these bytes; nothing may come of it. */
  async function refuse(bytes: Uint8Array, reason: RegExp, what: string) {
    writeFileSync(file, bytes)
    await assert.rejects(restore(target.deps, file, restoring), reason, what)
    assert.deepEqual(await target.tables(), [], what)
    assert.equal(existsSync(join(target.directory, 'master.key')), false)
  }

  test('R9: one bit that differs, anywhere, is detected before anything is written', async () => {
    for (let position = 0; position < whole.length; position += 37) {
      const bytes = Buffer.from(whole)
      bytes[position] = (bytes[position] ?? 0) ^ (1 << (position % 8))
      await refuse(bytes, /is damaged|is no backup|was changed/, `byte ${position}`)
    }
  })

  test('R9: a file that ends early or goes on is detected', async () => {
    for (const end of [0, 1, 40, 700, whole.length - 200, whole.length - 2, whole.length - 1]) {
      await refuse(whole.subarray(0, end), /is damaged|is no backup/, `${end} bytes`)
    }
    for (const more of ['\n', '\0', '{}', whole]) {
      await refuse(Buffer.concat([whole, Buffer.from(more)]), /is damaged/, 'more bytes')
    }
    const header = whole.indexOf('\n') + 1
    const holed = Buffer.concat([whole.subarray(0, header + 9), whole.subarray(header + 10)])
    await refuse(holed, /is damaged/, 'a byte less in the middle')
  })

  test('a wrong passphrase opens nothing, and is told as such', async () => {
    const wrong = { ...restoring, passphrase: async () => `${passphrase} ` }
    await assert.rejects(restore(target.deps, path, wrong), /the passphrase is wrong/)
    assert.deepEqual(await target.tables(), [])
  })

  test('no key, and no secret under one, is in it in the open or under the master key', async () => {
    const { sealed } = await app.deps.db
      .selectFrom('keys')
      .select('sealed')
      .executeTakeFirstOrThrow()
    assert.ok(!whole.includes(sealed))
    const { MASTER_KEY = readFileSync(join(app.directory, 'master.key'), 'utf8').trim() } =
      await databaseSettings(app.directory)
    assert.ok(!whole.includes(MASTER_KEY))
  })

  test('an existing file is not touched, and a short passphrase not taken', async () => {
    const { deps } = await place({}, app.directory)
    const directory = folder()
    const without = { passphrase: undefined }
    const taken = join(directory, 'taken')
    writeFileSync(taken, 'mine')
    await assert.rejects(backup(deps, taken, without), /is there already/)
    assert.equal(readFileSync(taken, 'utf8'), 'mine')
    const free = join(directory, 'free')
    await assert.rejects(backup(deps, free, { passphrase: 'eleven char' }), /at least 12/)
    writeFileSync(`${free}.partial`, 'half')
    await assert.rejects(backup(deps, free, without), /another backup is under way/)
    assert.equal(readFileSync(`${free}.partial`, 'utf8'), 'half')
    assert.deepEqual(readdirSync(directory), ['free.partial', 'taken'])
  })

  test('a backup that fails on the way leaves nothing behind', async () => {
    const { deps } = await place({}, app.directory)
    const directory = folder()
    const failing = backup(deps, join(directory, 'b'), {
      passphrase: undefined,
      onProgress: () => {
        throw new Error('on the way')
      },
    })
    await assert.rejects(failing, /on the way/)
    assert.deepEqual(readdirSync(directory), [])
  })

  test('a database that holds anything is not restored into', async () => {
    const before = await app.rows()
    const bare = { ...restoring, withoutKeys: true }
    await assert.rejects(restore(app.deps, path, bare), /the database is not empty/)
    assert.deepEqual(await app.rows(), before)
  })

  test('gatehouse backup and gatehouse restore read the passphrase from standard input', async () => {
    const copy = join(folder(), 'copy')
    const stdin = `${passphrase}\n`
    const env = await databaseSettings(app.directory)
    const made = await gatehouse(app.directory, `backup ${copy}`, { stdin, env })
    assert.deepEqual([made.code, made.stderr], [0, ''])
    const sha256 = hash('sha256', readFileSync(copy), 'hex')
    assert.equal(made.stdout, `${copy} is written; its SHA-256 is ${sha256}\n`)
    assert.equal(statSync(copy).mode & 0o777, 0o600)
    const elsewhere = folder()
    const empty = await databaseSettings(elsewhere, { isEmpty: true })
    const done = await gatehouse(elsewhere, `restore ${copy}`, { stdin, env: empty })
    assert.deepEqual([done.code, done.stderr], [0, ''])
    assert.match(done.stdout, /All logins have ended/)
  })

  test('gatehouse backup, verify and restore take BACKUP_PASSPHRASE, or its file, if none is piped', async () => {
    const directory = folder()
    const [copy, file] = [join(directory, 'copy'), join(directory, 'passphrase')]
    writeFileSync(file, `${passphrase}\n`, { mode: 0o600 })
    const byFile = { BACKUP_PASSPHRASE_FILE: file }
    const here = await databaseSettings(app.directory)
    const made = await gatehouse(app.directory, `backup ${copy}`, { env: { ...here, ...byFile } })
    assert.deepEqual([made.code, made.stderr], [0, ''])

    const other = 'plank otter velvet cinder mosaic harpoon'
    const verify = (env: Record<string, string>, stdin = '') =>
      gatehouse(app.directory, `backup verify ${copy}`, { env: { PORT: 'none', ...env }, stdin })
    for (const [env, stdin] of [
      [byFile, ''],
      [{ BACKUP_PASSPHRASE: passphrase }, ''],
      [{ BACKUP_PASSPHRASE: other }, passphrase],
    ] as const) {
      assert.deepEqual((await verify(env, stdin)).code, 0)
    }
    assert.equal((await verify({ BACKUP_PASSPHRASE: other })).code, 1)
    const typed = await gatehouse(app.directory, `backup verify ${copy}`, {
      env: byFile,
      typed: [],
    })
    assert.deepEqual([typed.code, typed.stderr], [0, ''], 'a terminal is not asked')
    const none = await verify({})
    const told = 'standard input holds no passphrase, and BACKUP_PASSPHRASE is not set'
    assert.deepEqual([none.code, none.stderr.split('\n')[0]], [2, `error: ${told}`])
    const lost = await verify({ BACKUP_PASSPHRASE_FILE: join(directory, 'absent') })
    const unread =
      'BACKUP_PASSPHRASE cannot be read from the file that BACKUP_PASSPHRASE_FILE names'
    assert.deepEqual([lost.code, lost.stderr], [1, `error: ${unread}\n`])

    const elsewhere = folder()
    const empty = await databaseSettings(elsewhere, { isEmpty: true })
    const done = await gatehouse(elsewhere, `restore ${copy}`, { env: { ...empty, ...byFile } })
    assert.deepEqual([done.code, done.stderr], [0, ''])
    assert.match(done.stdout, /All logins have ended/)
  })

  test('gatehouse restore --without-keys wants the passphrase, or to be told --unverified', async () => {
    const elsewhere = folder()
    const env = await databaseSettings(elsewhere, { isEmpty: true })
    const refused = [
      ['restore --without-keys', /unless --unverified/],
      ['restore --unverified', /goes with --without-keys/],
    ] as const
    for (const [words, reason] of refused) {
      const { code, stderr } = await gatehouse(elsewhere, `${words} ${path}`, { stdin: '', env })
      assert.equal(code, 2, words)
      assert.match(stderr, reason)
    }
    const sealed = `restore --without-keys --unverified ${path}`
    const whole = await gatehouse(elsewhere, sealed, { stdin: '', env })
    assert.equal(whole.code, 1)
    assert.match(whole.stderr, /encrypted as a whole: without its passphrase nothing/)
    const words = `restore --without-keys --unverified --verbose ${ofVersion1.path}`
    const done = await gatehouse(elsewhere, words, { stdin: '', env })
    assert.equal(done.code, 0, 'the database was still empty')
    assert.match(done.stderr, /"event":"backup_restored".*"verified":false/)
  })

  test('A1: with --verbose each tells who took or brought all accounts, once, and no secret', async () => {
    const copy = join(folder(), 'copy')
    const stdin = `${passphrase}\n`
    const who = { by: 'cli', uid: process.getuid?.() }
    const clock = fixedClock()
    const run = async (directory: string, words: string) => {
      const env = await databaseSettings(directory, { isEmpty: directory !== app.directory })
      const { code, stderr } = await gatehouse(directory, words, { stdin, env, clock })
      assert.ok(!stderr.includes(passphrase))
      const lines = stderr.split('\n').filter((line) => line.startsWith('{'))
      return { code, told: lines.map((line) => JSON.parse(line)).map(withoutFrame) }
    }
    const withoutFrame = ({ level, time, ...event }: Record<string, unknown>) => {
      assert.deepEqual([level, typeof time], ['info', 'string'])
      return event
    }
    assert.deepEqual(await run(app.directory, `backup ${copy} --verbose`), {
      code: 0,
      told: [
        {
          event: 'backup_made',
          file: copy,
          sha256: hash('sha256', readFileSync(copy), 'hex'),
          keys: true,
          ...who,
        },
      ],
    })
    const users = (await app.rows()).users?.length
    assert.deepEqual(await run(folder(), `restore ${copy} --verbose`), {
      code: 0,
      told: [
        {
          event: 'backup_restored',
          file: copy,
          created_at: isoTime(clock.now()),
          users,
          logins_kept: false,
          verified: true,
          ...who,
        },
      ],
    })
    const refused = await run(app.directory, `backup ${copy} --verbose`)
    assert.deepEqual(refused, { code: 2, told: [] }, 'what was not made is not told')
  })

  test('a passphrase is one line of a bearable length, and nothing else is cut off from it', async () => {
    const { stdout, stderr, env } = process
    const read = (text: string) =>
      readPassphrase(
        {
          terminal: { stdin: Readable.from([Buffer.from(text)]), stdout, stderr, env },
        },
        { isNew: true },
      )
    assert.equal(await read(' with spaces \r\n'), ' with spaces ')
    assert.equal(await read('no end'), 'no end')
    await assert.rejects(read('\n'), /holds no passphrase/)
    await assert.rejects(read('two\nlines\n'), /more than one line/)
    await assert.rejects(read('x'.repeat(16_385)), /too long/)
  })

  test('a passphrase typed in other code points is the same one', async () => {
    const [composed, decomposed] = ['Zo\u00eb was here once', 'Zoe\u0308 was here once']
    const [one, other] = [
      await createEncryptedKeyBundle(composed, 'c2FsdA', 2),
      await createEncryptedKeyBundle(decomposed, 'c2FsdA', 2),
    ]
    assert.ok(other.isMacOf('digest', one.macOf('digest')))
    assert.ok(!other.isMacOf('digests', one.macOf('digest')))
  })
})
