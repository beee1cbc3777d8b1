import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { place, prints } from '../../../test/keys.ts'
import { seededRandom } from '../../../test/random.ts'
import { loadMasterKey } from './master-key.ts'

const secret = 'only the tests of the key set know this'

suite('the master key', () => {
  test('it is made at the first start, for its owner alone', async () => {
    const { load, file } = await place()
    await load()
    assert.equal(fs.statSync(file).mode & 0o777, 0o600)
    assert.match(fs.readFileSync(file, 'utf8'), /^[A-Za-z0-9_-]{43}\n$/)
  })

  test('a file that others can read, write or run is refused', async () => {
    const { load, rows, file } = await place()
    await load()
    const stored = await rows()
    for (const mode of [0o640, 0o604, 0o644, 0o620, 0o602, 0o610, 0o601, 0o666]) {
      fs.chmodSync(file, mode)
      await assert.rejects(load(), /master\.key can be read by other users/, mode.toString(8))
    }
    assert.deepEqual(await rows(), stored)
    fs.chmodSync(file, 0o400)
    await load()
  })

  test('without its file a key set refuses to start, and no new file is made', async () => {
    const { directory, load, rows, file } = await place()
    const first = await load()
    const stored = await rows()
    const text = fs.readFileSync(file)
    fs.unlinkSync(file)
    for (const env of [{}, { TOKEN_ALGORITHM: 'RS256' }, { TOKEN_SECRET: secret }]) {
      await assert.rejects(load(env), /master\.key cannot be read, and the key set .* needs it/)
    }
    assert.equal(fs.existsSync(file), false)
    assert.deepEqual(
      fs.readdirSync(directory).filter((name) => !name.startsWith('gatehouse.db')),
      [],
    )
    assert.deepEqual(await rows(), stored)
    fs.writeFileSync(file, text, { mode: 0o600 })
    assert.deepEqual(prints(await load()), prints(first))
  })

  test('a file that holds something else is refused', async () => {
    const { load, rows, file } = await place()
    const contents = ['not a key', '0'.repeat(64), 'A'.repeat(43), `${'ab'.repeat(31)}a`]
    for (const text of contents) {
      fs.writeFileSync(file, text, { mode: 0o600 })
      await assert.rejects(load(), /master\.key holds no master key/, text)
      assert.equal(fs.readFileSync(file, 'utf8'), text)
    }
    assert.deepEqual(await rows(), [])
  })

  test('another file, or another MASTER_KEY, does not open the key set', async () => {
    const { load, rows, file } = await place()
    await load()
    const stored = await rows()
    const other = Buffer.from(seededRandom(99).bytes(32))
    const env = { MASTER_KEY: other.toString('hex') }
    await assert.rejects(load(env), /the master key does not open the key set in the database/)
    fs.writeFileSync(file, `${other.toString('base64url')}\n`)
    await assert.rejects(load(), /the master key does not open the key set in the database/)
    assert.deepEqual(await rows(), stored)
  })

  test('MASTER_KEY stands for the file, in both spellings', async () => {
    const { load, file } = await place()
    const bytes = Buffer.from(seededRandom(98).bytes(32))
    const first = await load({ MASTER_KEY: bytes.toString('hex') })
    for (const text of [bytes.toString('base64url'), bytes.toString('hex').toUpperCase()]) {
      assert.deepEqual(prints(await load({ MASTER_KEY: text })), prints(first))
    }
    assert.equal(fs.existsSync(file), false)
  })

  test('it is never there in part, even where the disk is full: another start may read it', async () => {
    const { directory, file } = await place()
    const source = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
    const script = `
      const { loadMasterKey } = await import(${source('master-key.ts')})
      const config = { database: { dataDirectory: ${JSON.stringify(directory)} } }
      const random = { bytes: (length) => new Uint8Array(length).map((_, index) => index * 7) }
      loadMasterKey({ config, random, mayCreate: true })`
    // No file may grow past so many blocks: what is made is made, what is written fails.
    const start = (blocks: string) =>
      spawnSync(
        '/bin/sh',
        [
          '-c',
          `ulimit -f ${blocks}; exec "$0" "$@"`,
          process.execPath,
          '--input-type=module',
          '-e',
          script,
        ],
        { encoding: 'utf8', env: { NODE_V8_COVERAGE: '' } },
      )
    const full = start('0')
    assert.notEqual(full.status, 0)
    assert.equal(fs.existsSync(file), false, full.stderr)
    assert.equal(start('unlimited').status, 0)
    assert.equal(fs.statSync(file).size, 44)
    assert.deepEqual(
      fs.readdirSync(directory).filter((name) => name.includes('master')),
      ['master.key'],
    )
  })

  test('a folder that cannot hold it is told as it is', async () => {
    const { directory, load, file } = await place()
    fs.mkdirSync(file)
    await assert.rejects(load(), /master\.key cannot be read/)
    const config = loadConfig({ DATA_DIR: join(directory, 'absent') })
    const options = { config, random: seededRandom(1), mayCreate: true }
    assert.throws(() => loadMasterKey(options), { code: 'ENOENT', syscall: 'open' })
  })
})
