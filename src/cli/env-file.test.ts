import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { addEnvFile } from './env-file.ts'

function file(content: string | Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), 'gatehouse-env-')), '.env')
  writeFileSync(path, content)
  return path
}

/** What the environment is after the file was read. */
function read(content: string | Uint8Array, env: Record<string, string> = {}) {
  const given = { npm_lifecycle_event: 'start', ...env }
  const all: Record<string, string | undefined> = { ...given }
  const mistakes = addEnvFile(all, file(content))
  const added = Object.entries(all).filter(([name]) => !(name in given))
  return { mistakes, added: Object.fromEntries(added), all }
}

suite('the file .env of the sources', () => {
  const content = 'PORT=4000\n# a comment\nPAGES_NAME="Our house" # said\nDOMAIN=auth.example.org\n'

  test('gives settings that the environment does not have, and leaves those of compose', () => {
    const { added, mistakes } = read(content)
    assert.deepEqual([added, mistakes], [{ PORT: '4000', PAGES_NAME: 'Our house' }, []])
    const { added: others, all } = read(content, { PORT: '', PAGES_NAME: 'Mine' })
    assert.deepEqual([others, all.PORT, all.PAGES_NAME], [{}, '', 'Mine'])
    for (const npm_lifecycle_event of ['dev', 'gatehouse']) {
      assert.deepEqual(read(content, { npm_lifecycle_event }).added, added)
    }
  })

  test('counts neither in production nor in a test nor without the script', () => {
    const nothing = { added: {}, mistakes: [] }
    for (const env of [
      { NODE_ENV: 'production' },
      { npm_lifecycle_event: 'test' },
      { npm_lifecycle_event: '' },
      { NODE_TEST_CONTEXT: 'child-v8' },
    ]) {
      const { all: _, ...rest } = read('PORT=4000\nNODE_ENV=production\n', env)
      assert.deepEqual(rest, nothing, JSON.stringify(env))
    }
  })

  test('with NODE_ENV or MASTER_KEY gives nothing, and says why', () => {
    for (const [line, mistake] of [
      [
        'NODE_ENV=production',
        '.env may not have NODE_ENV: production wants an environment of its own',
      ],
      ['NODE_ENV=', '.env may not have NODE_ENV: production wants an environment of its own'],
      [
        `export MASTER_KEY=${'0'.repeat(64)}`,
        '.env may not have MASTER_KEY: the key would lie beside the data that it protects',
      ],
    ]) {
      const { added, mistakes } = read(`PORT=4000\n${line}\n`)
      assert.deepEqual([added, mistakes], [{}, [mistake]])
    }
  })

  test('that is no text or too large is a mistake; without a file there is none', () => {
    const unread = ['.env cannot be read: it must be a file of UTF-8, at most 1 MB']
    for (const content of [Uint8Array.of(0xff, 0xfe, 0x41), 'A=1\n'.repeat(300_000)]) {
      assert.deepEqual(read(content), { ...read(content), added: {}, mistakes: unread })
    }
    const folder = join(mkdtempSync(join(tmpdir(), 'gatehouse-env-')), '.env')
    mkdirSync(folder)
    const env = { npm_lifecycle_event: 'start' }
    assert.deepEqual(addEnvFile(env, folder), unread)
    assert.deepEqual(addEnvFile(env, `${folder}/absent`), [])
    assert.deepEqual(env, { npm_lifecycle_event: 'start' })
  })
})
