import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { refusal } from '../../src/core/cli/files.ts'
import { testApp } from '../app.ts'
import { gatehouse } from './gatehouse.ts'

suite('a command with a file or a database that it cannot use', async () => {
  const app = await testApp()
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(folder, { recursive: true }))
  const [file, sub, loop] = ['file', 'folder', 'loop'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(file, 'as it was')
  mkdirSync(sub)
  symlinkSync(loop, loop)
  const passphrase = 'x5Tq-8vLm-2wRz-7kPd-9hJn'

  async function refused(words: string, sentence: string, env: Record<string, string> = {}) {
    const before = await app.rows()
    const ran = await gatehouse(app.directory, words, { env, stdin: passphrase })
    const name = words.split(/ (?=\/|-)/, 1)[0]
    const stderr = `error: ${sentence}\nSee: npm run -s gatehouse -- help ${name}\n`
    assert.deepEqual(ran, { code: 2, stdout: '', stderr })
    assert.deepEqual(await app.rows(), before)
    assert.deepEqual(readdirSync(folder), ['file', 'folder', 'loop'])
    assert.equal(readFileSync(file, 'utf8'), 'as it was')
  }

  for (const command of ['account import', 'restore']) {
    test(`${command}: one sentence, exit 2, before anything is asked or done`, async () => {
      const none = join(folder, 'none')
      const cannot = (path: string) => [`${command} ${path}`, `${path} cannot be read: `] as const
      for (const [path, reason] of [
        [none, 'there is no such file or folder'],
        [join(none, 'below'), 'there is no such file or folder'],
        [join(file, 'below'), 'a part of the path is no folder'],
        [sub, 'it is a folder'],
        [loop, 'its links lead in a circle'],
        [join(folder, 'x'.repeat(300)), 'the name is too long'],
      ] as const) {
        const [words, start] = cannot(path)
        await refused(words, start + reason)
      }
    })
  }

  test('backup: likewise, and a file that exists stays as it is', async () => {
    for (const [path, reason] of [
      [file, 'it exists'],
      [sub, 'it exists'],
      [loop, 'it exists'],
      [join(file, 'new'), `${file} is no folder`],
      [join(folder, 'none', 'new'), 'there is no such file or folder'],
    ] as const) {
      await refused(`backup ${path}`, `${path} cannot be made: ${reason}`)
    }
  })

  test('a file without rights is told as that, and not as one that is missing', () => {
    for (const code of ['EACCES', 'EPERM']) {
      const error = Object.assign(new Error(`${code}: permission denied`), { code })
      const { message, exitCode } = refusal('/data/gatehouse.db cannot be opened', error)
      const expected = '/data/gatehouse.db cannot be opened: this user has no right to it'
      assert.deepEqual([message, exitCode], [expected, 2])
    }
  })

  test('two databases: none is chosen', async () => {
    const address = 'postgres://gatehouse@127.0.0.1:1/gatehouse'
    const both = { DATABASE_URL: address, DATABASE_URL_FILE: file }
    const sentence = 'two databases are given: DATABASE_URL and DATABASE_URL_FILE'
    await refused('account list', sentence, both)
    await refused('keys rotate', sentence, both)
    const one = { DATABASE_URL: address, MASTER_KEY: hash('sha256', 'a master key', 'hex') }
    await refused(`move --to ${address}`, 'DATABASE_URL is set: the move is from SQLite', one)
  })
})
