import assert from 'node:assert/strict'
import { createPrivateKey, type webcrypto } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { ConfigError } from '../../src/core/config/load.ts'
import { startService } from '../../tools/service.ts'
import { testApp } from '../app.ts'
import { backup, restore } from '../backups.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { loadConfig } from '../config.ts'
import { folder, place, resealed, restoring } from '../copies.ts'
import { databaseSettings } from '../database.ts'
import { seededRandom } from '../random.ts'
import { sharedLines, vectors } from '../vectors.ts'

const production = { NODE_ENV: 'production', TRUST_PROXY: 'none' }
const known = 'r9iMKoe5CRMgvJBBtp4HrqN7QiPpUToj'
const good = Buffer.from(seededRandom(5).bytes(32)).toString('base64')
const advice = '`openssl rand -base64 32` prints a good signing secret.'

function mistakesOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig({ ...production, ...env })
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.mistakes
  }
}

suite('G18: a signing secret that others know or guess', () => {
  const weak: readonly (readonly [text: string, weakness: string])[] = [
    [known, 'is publicly known'],
    [Buffer.from(known).toString('base64'), 'is publicly known'],
    ['<a random text of forty characters here>', 'looks like a placeholder of a template'],
    ['9f86d081-S3-C_R E.T-884c7d659a2feaa0', 'looks like a placeholder of a template'],
    ['lamps in a quiet harbour at low tide', 'is made of words, dates or repetitions'],
    ['1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,', 'is a run of neighbouring keys'],
    ['f47ac10b-58cc-4372-a567-0e02b2c3d479', 'is a UUID, which is a name and no secret'],
    ['4193 8270 1163 9085 2247 7318 64', 'has less than 100 bits'],
  ]
  for (const name of ['TOKEN_SECRET', 'TOKEN_SECRET_PREVIOUS']) {
    for (const [text, weakness] of weak) {
      test(`${name}, refused in production and a warning elsewhere: ${text}`, () => {
        assert.deepEqual(mistakesOf({ [name]: text }), [`${name} ${weakness}`])
        for (const NODE_ENV of ['development', 'test']) {
          const { warnings } = loadConfig({ NODE_ENV, [name]: text })
          assert.deepEqual(warnings, [`${name} ${weakness}: production refuses it. ${advice}`])
        }
      })
    }

    test(`${name} of 32 random bytes is neither`, () => {
      assert.deepEqual(loadConfig({ ...production, [name]: good }).warnings, [])
    })
  }

  test('each of the known ones is refused in production', (t) => {
    const secrets = sharedLines('known-secrets/jwt-secrets-32.txt')
    if (!secrets) return t.skip('the list is not on this machine')
    const accepted = secrets.filter((text) => mistakesOf({ TOKEN_SECRET: text }).length === 0)
    assert.deepEqual([secrets.length, accepted.slice(0, 20)], [1919, []])
  })

  test('the process ends with 1, says how to make a good one and never shows the secret', async () => {
    const env = { ...production, TOKEN_SECRET: known }
    const directory = folder()
    const start = startService([process.execPath, 'src/main.ts'], env, directory)
    await assert.rejects(start, ({ message }: Error) => {
      assert.match(message, /^exit 1 before/)
      const told = `settings:\n  TOKEN_SECRET is publicly known\n  ${advice}\n`
      assert.ok(message.includes(told), message)
      assert.ok(!message.includes(known))
      return true
    })
    assert.deepEqual(readdirSync(directory), [])
  })

  test('gatehouse config check tells the same, and warns outside production', async () => {
    const refused = await gatehouse(folder(), 'config check --json', {
      env: { ...production, TOKEN_SECRET: known },
    })
    assert.deepEqual(JSON.parse(refused.stdout), {
      valid: false,
      mistakes: ['TOKEN_SECRET is publicly known'],
      warnings: [],
    })
    assert.ok(refused.stderr.includes(advice))
    const warned = await gatehouse(folder(), 'config check', { env: { TOKEN_SECRET: known } })
    assert.equal(warned.code, 0)
    assert.ok(warned.stderr.includes(`TOKEN_SECRET is publicly known: production refuses it.`))
    for (const { stdout, stderr } of [refused, warned]) {
      assert.ok(!`${stdout}${stderr}`.includes(known))
    }
  })
})

suite('G18: other keys that are printed in manuals', () => {
  test('MASTER_KEY in either form', () => {
    const counted = Buffer.from(Array.from({ length: 32 }, (_, index) => index))
    for (const bytes of [
      counted,
      Buffer.from('603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4', 'hex'),
      Buffer.from('16f8c0ef4a5d391b26034086c628469d3f9f497f08163ab9b40137092f2909ef', 'hex'),
    ]) {
      for (const text of [bytes.toString('hex'), bytes.toString('base64url')]) {
        assert.deepEqual(mistakesOf({ MASTER_KEY: text }), ['MASTER_KEY is publicly known'])
        assert.equal(loadConfig({ MASTER_KEY: text }).warnings.length, 1)
      }
    }
    const random = Buffer.from(seededRandom(6).bytes(32))
    assert.deepEqual(mistakesOf({ MASTER_KEY: random.toString('hex') }), [])
  })

  test('TOKEN_PRIVATE_KEY: the RSA key of RFC 7520', (t) => {
    const jwk = vectors<webcrypto.JsonWebKey>('jose-cookbook/jwk__3_4.rsa_private_key.json')
    if (!jwk) return t.skip('the vectors are not on this machine')
    const key = createPrivateKey({ key: jwk, format: 'jwk' })
    const pem = key.export({ format: 'pem', type: 'pkcs8' }).toString()
    assert.deepEqual(mistakesOf({ TOKEN_PRIVATE_KEY: pem }), [
      'TOKEN_PRIVATE_KEY is publicly known',
    ])
  })
})

suite("G18: a backup's passphrase", async () => {
  const app = await testApp()
  const refusal =
    'the passphrase could be guessed: it must have at least 70 bits, such as six words that dice ' +
    'choose from a list, or what `openssl rand -base64 16` prints'

  test('that can be guessed is refused, and nothing is written', async () => {
    const { deps } = await place({}, app.directory)
    const directory = folder()
    for (const text of [
      'correct horse battery staple',
      'Password12345678',
      known,
      '1'.repeat(40),
    ]) {
      const path = join(directory, 'backup')
      await assert.rejects(backup(deps, path, { passphrase: text }), { message: refusal })
    }
    assert.deepEqual(readdirSync(directory), [])
  })

  test('is refused by the command as well, which does not repeat it', async () => {
    const path = join(folder(), 'backup')
    const env = await databaseSettings(app.directory)
    const stdin = 'correct horse battery staple\n'
    const made = await gatehouse(app.directory, `backup ${path}`, { stdin, env })
    assert.equal(made.code, 1)
    assert.ok(made.stderr.includes(refusal))
    assert.ok(!`${made.stdout}${made.stderr}`.includes('correct horse'))
    assert.equal(existsSync(path), false)
  })

  test('of an older backup opens it, however weak', async () => {
    const old = join(folder(), 'old')
    writeFileSync(old, await resealed('twelve words'))
    const target = await place()
    const { counts } = await restore(target.deps, old, {
      ...restoring,
      passphrase: async () => 'twelve words',
    })
    assert.equal(counts.get('accounts'), 1)
  })
})
