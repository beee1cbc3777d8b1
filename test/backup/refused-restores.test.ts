import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import { holdServiceLock, lockFileName } from '../../src/core/workers/service-lock.ts'
import { masterKeyFileName } from '../../src/modules/keys/master-key.ts'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { backupOf, folder, passphrase } from '../copies.ts'
import { databaseSettings, sqliteOnly } from '../database.ts'

suite('a restore that is refused', async () => {
  const app = await testApp()
  const good = await backupOf(app)
  const whole = readFileSync(good)
  const written = (bytes: Uint8Array) => {
    const path = join(folder(), 'backup')
    writeFileSync(path, bytes)
    return path
  }
  const restore = async (
    file: string,
    directory: string,
    stdin: string | AsyncIterable<Buffer> = `${passphrase}\n`,
  ) =>
    gatehouse(directory, `restore ${file}`, {
      stdin,
      env: { ...(await databaseSettings(directory)), DATA_DIR: directory },
    })
  const refused: Record<string, readonly [file: string, stdin?: string]> = {
    'of half a file': [written(whole.subarray(0, whole.length / 2))],
    'of a changed file': [written(whole.with(whole.length - 50, 1 ^ (whole.at(-50) ?? 0)))],
    'of an empty file': [written(new Uint8Array())],
    'of random bytes': [written(Buffer.alloc(5000, 'no backup '))],
    'with a wrong passphrase': [good, 'another passphrase than that, of seven words\n'],
    'without a passphrase': [good, ''],
  }

  for (const [what, [file, stdin]] of Object.entries(refused)) {
    sqliteOnly(`${what}: leaves no database, and no folder that it made`, async () => {
      const parent = folder()
      const directory = join(parent, 'new', 'data')
      const { code, stdout, stderr } = await restore(file, directory, stdin)
      assert.ok(code === 1 || code === 2, stderr)
      assert.equal(stdout, '')
      assert.deepEqual(readdirSync(parent), [], stderr)

      mkdirSync(directory, { recursive: true, mode: 0o700 })
      writeFileSync(join(directory, 'notes.txt'), 'mine')
      assert.equal((await restore(file, directory, stdin)).code, code)
      assert.deepEqual(readdirSync(directory), ['gatehouse.lock', 'notes.txt'])
      const taken = await restore(good, directory)
      assert.equal(taken.code, 0, taken.stderr)
      assert.ok(existsSync(join(directory, databaseFileName)))
    })
  }

  sqliteOnly('while the operator puts a master key there: leaves the key', async () => {
    const directory = join(folder(), 'data')
    const key = join(directory, masterKeyFileName)
    // The passphrase is asked for when the command has begun.
    async function* typed() {
      writeFileSync(key, 'of the operator', { mode: 0o600 })
      yield Buffer.from('another passphrase than that, of seven words\n')
    }
    const { code } = await restore(good, directory, typed())
    assert.equal(code, 1)
    assert.equal(readFileSync(key, 'utf8'), 'of the operator')
    assert.ok(!existsSync(join(directory, databaseFileName)))
  })

  sqliteOnly(
    'two at once into a new folder: one makes the database, and the other takes nothing away',
    async () => {
      for (let round = 0; round < 3; round += 1) {
        const directory = join(folder(), 'new', 'data')
        const both = await Promise.all([restore(good, directory), restore(good, directory)])
        const codes = both.map(({ code }) => code).toSorted()
        assert.deepEqual(codes, [0, 1], JSON.stringify(both))
        assert.ok(existsSync(join(directory, databaseFileName)))
        assert.ok(existsSync(join(directory, lockFileName)))
      }
    },
  )

  sqliteOnly('a second one: leaves the database of the first', async () => {
    const directory = join(folder(), 'data')
    assert.equal((await restore(good, directory)).code, 0)
    const [files, before] = [
      readdirSync(directory),
      readFileSync(join(directory, databaseFileName)),
    ]
    for (const file of [good, written(whole.subarray(0, 1000))]) {
      assert.equal((await restore(file, directory)).code, 1)
      assert.deepEqual(readdirSync(directory), files)
      assert.ok(readFileSync(join(directory, databaseFileName)).equals(before))
    }
  })

  sqliteOnly('beside a service: leaves what the service has, and makes nothing', async () => {
    const directory = join(folder(), 'data')
    mkdirSync(directory, { mode: 0o700 })
    holdServiceLock(directory) // of a service that starts, and has no database yet
    const files = readdirSync(directory)
    const { code, stderr } = await restore(good, directory)
    assert.equal(code, 1)
    assert.match(stderr, /is in use: stop the service first/)
    assert.deepEqual(readdirSync(directory), files)
  })

  test('into a database that is there, of either kind: changes nothing', async () => {
    const rows = await app.rows()
    const { code, stderr } = await gatehouse(app.directory, `restore ${good}`, {
      stdin: `${passphrase}\n`,
    })
    assert.equal(code, 1)
    assert.match(stderr, /the database is not empty/)
    assert.deepEqual(await app.rows(), rows)
  })
})
