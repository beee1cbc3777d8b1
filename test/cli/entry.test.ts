import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const entries = ['src/main.ts', 'src/cli/main.ts']

suite('the two files that Node is started with', () => {
  test('import nothing that an old Node lacks before its version is judged', () => {
    const others = ['bundle', 'prepare', 'env-file'].map((name) => `src/cli/${name}.ts`)
    const imported = [...entries, ...others].flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/^import (.*) from '(.*)'/gm)].map(
        ([, names, from]) => `${names} of ${from}`,
      ),
    )
    assert.deepEqual(
      [...new Set(imported)],
      [
        '{ currentBundle } of ./cli/bundle.ts',
        '{ prepare } of ./cli/prepare.ts',
        '{ currentBundle } of ./bundle.ts',
        '{ prepare } of ./prepare.ts',
        '{ readFileSync, statSync } of node:fs',
        '{ dirname, join } of node:path',
        '{ fileURLToPath, pathToFileURL } of node:url',
        '{ isOf } of ./prepare.ts',
        '{ lstatSync, mkdirSync, readFileSync, realpathSync } of node:fs',
        'module of node:module',
        '{ tmpdir } of node:os',
        '{ basename, dirname, join } of node:path',
        '{ fileURLToPath } of node:url',
        '{ addEnvFile } of ./env-file.ts',
        '{ existsSync, readFileSync } of node:fs',
        'util of node:util',
      ],
    )
  })

  for (const entry of entries) {
    test(`${entry} on an older Node: one sentence on standard error, exit 1`, () => {
      const older = "Object.defineProperty(process, 'versions', { value: { node: '24.1.0' } })"
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [`--import=data:text/javascript,${encodeURIComponent(older)}`, entry],
        { cwd: root, encoding: 'utf8' },
      )
      const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
      const needed = engines.node.replace('>=', '')
      assert.deepEqual(
        [status, stdout, stderr],
        [1, '', `Gatehouse needs Node.js ${needed} or newer, and this is 24.1.0.\n`],
      )
    })
  }
})
