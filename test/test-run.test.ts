import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { databaseMatters, filesOf } from '../tools/test-files.ts'

const root = join(import.meta.dirname, '..')

suite('npm test', () => {
  function run(sources: Record<string, string>, isTriedAgain = false) {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-run-'))
    const files = Object.entries(sources).map(([name, source]) => {
      const file = join(folder, `${name}.test.ts`)
      writeFileSync(file, `import { test } from 'node:test'\n${source}`)
      return file
    })
    const script = `import { basename } from 'node:path'
      import { passAgain, runTests } from './tools/test-run.ts'
      const env = { ...process.env, TEST_DATABASE: 'sqlite', NODE_TEST_CONTEXT: undefined }
      const given = { files: ${JSON.stringify(files)}, env, options: [], fileMs: 4000 }
      const counts = await runTests(given)
      const isUnsteady = ${isTriedAgain} && (await passAgain([given], [counts]))
      const files = [...counts.failedFiles].map((file) => basename(file, '.test.ts')).sort()
      const { passed, failures } = counts
      console.log(JSON.stringify({ passed, failed: failures.length, files, isUnsteady }))`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      encoding: 'utf8',
    })
    rmSync(folder, { recursive: true })
    return stdout
  }

  test('fails the file that ends its process, and runs the others', () => {
    const output = run({
      exits: "test('exits', () => process.exit(0))",
      one: "test('passes', () => {})",
      other: "test('passes', () => console.log('said by a test that passes'))",
    })
    assert.match(output, /✖ sqlite, .*exits\.test\.ts: the process ended, exit code 0\n/)
    assert.match(output, /^said by a test that passes$/m)
    assert.match(output, /\{"passed":2,"failed":1,"files":\["exits"\],"isUnsteady":false\}\n$/)
  })

  test('fails the file that never ends, and a test whose error nothing catches', () => {
    const output = run({
      hangs: "setInterval(() => {}, 1000)\nawait new Promise(() => {})\ntest('never', () => {})",
      blocks: "test('blocks', () => { for (;;); })",
      rejects: `test('rejects', async () => {
        Promise.reject(new Error('of nobody'))
        await new Promise(() => {})
      })`,
      missing: "import './missing.ts'",
    })
    for (const name of ['hangs', 'blocks']) {
      assert.match(output, new RegExp(`${name}\\.test\\.ts: the process was killed after 4 s`))
    }
    assert.match(output, /^✖ sqlite, \S+rejects\.test\.ts:2: rejects\nError: of nobody\n/m)
    assert.equal(output.split('of nobody').length, 2, 'printed once')
    assert.match(output, /Cannot find module .*missing\.ts/)
    assert.match(output, /"failed":4,"files":\["blocks","hangs","missing","rejects"\]/)
  })

  test('runs up to three failed files again: what passes then is unsteady', () => {
    const once = `import { existsSync, writeFileSync } from 'node:fs'
      test('passes the second time', () => {
        const flag = import.meta.filename + '.flag'
        if (existsSync(flag)) return
        writeFileSync(flag, '')
        throw new Error('the first time')
      })`
    const never = "test('fails', () => { throw new Error('each time') })"
    assert.match(run({ once }, true), /"failed":1,"files":\["once"\],"isUnsteady":true\}\n$/)
    assert.match(run({ once, never }, true), /"failed":2,.*"isUnsteady":false\}\n$/)
    const four = { a: once, b: once, c: once, d: once }
    assert.match(run(four, true), /"failed":4,.*"isUnsteady":false\}\n$/)
    const exits = "process.on('exit', () => { process.exitCode = 9 })"
    assert.match(run({ exits }, true), /"failed":1,"files":\[""\],"isUnsteady":false\}\n$/)
  })

  test('a file with a test for PostgreSQL alone runs on PostgreSQL, and says why', () => {
    for (const file of filesOf([])) {
      const source = readFileSync(join(root, file), 'utf8')
      if (/^postgresOnly\(|^ +postgresOnly\(/m.test(source)) {
        assert.ok(source.startsWith(databaseMatters), file)
      }
    }
  })

  test('the table of CONTRIBUTING.md names every script of package.json', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const table = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
    const rows = [...table.matchAll(/^\| `npm (?:run )?([\w:-]+)/gm)].map(([, name]) => name)
    assert.deepEqual(rows.toSorted(), Object.keys(scripts).toSorted())
  })
})
