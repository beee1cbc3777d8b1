import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { failureList, failuresIn } from '../tools/failures.ts'
import { databaseMatters, filesOf } from '../tools/test-files.ts'
import type { Counts } from '../tools/test-run.ts'

const root = join(import.meta.dirname, '..')

suite('npm test', () => {
  function run(
    sources: Record<string, string>,
    { options = [] as readonly string[], databases = ['sqlite'], fileMs = 60_000 } = {},
  ) {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-run-'))
    const files = Object.entries(sources).map(([name, source]) => {
      const file = join(folder, `${name}.test.ts`)
      writeFileSync(file, `import { test } from 'node:test'\n${source}`)
      return file
    })
    const script = `import { runTests } from './tools/test-run.ts'
      const { files, fileMs, options, databases } = ${JSON.stringify({ files, fileMs, options, databases })}
      const counts = await runTests(databases.map((name) => {
        const env = { ...process.env, TEST_DATABASE: name, NODE_TEST_CONTEXT: undefined }
        return { files: name === 'sqlite' ? files : files.slice(1), env, options, fileMs }
      }))
      console.log(JSON.stringify(counts))`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      encoding: 'utf8',
    })
    rmSync(folder, { recursive: true })
    return stdout
  }

  const countsOf = (output: string): Counts => JSON.parse(output.trimEnd().split('\n').at(-1) ?? '')

  test('fails the file that ends its process, and runs the others', () => {
    const output = run({
      exits: "test('exits', () => process.exit(0))",
      one: "test('passes', () => {})",
      other: "test('passes', () => console.log('said by a test that passes'))",
    })
    assert.match(output, /✖ sqlite, .*exits\.test\.ts: the process ended, exit code 0\n/)
    assert.match(output, /^said by a test that passes$/m)
    const { passed, failures } = countsOf(output)
    assert.equal(passed, 2)
    assert.equal(failures.length, 1)
    assert.match(failures[0] ?? '', /^sqlite, \S+exits\.test\.ts: the process ended, exit code 0$/)
  })

  test('fails the file that never ends, and a test whose error nothing catches', () => {
    const sources = {
      hangs: "setInterval(() => {}, 1000)\nawait new Promise(() => {})\ntest('never', () => {})",
      blocks: "test('blocks', () => { for (;;); })",
      rejects: `test('rejects', async () => {
        Promise.reject(new Error('of nobody'))
        await new Promise(() => {})
      })`,
      missing: "import './missing.ts'",
    }
    const output = run(sources, { fileMs: 4000 })
    for (const name of ['hangs', 'blocks']) {
      assert.match(output, new RegExp(`${name}\\.test\\.ts: the process was killed after 4 s`))
    }
    assert.match(output, /^✖ sqlite, \S+rejects\.test\.ts:2: rejects\nError: of nobody\n/m)
    assert.equal(output.split('of nobody').length, 2, 'printed once')
    assert.match(output, /Cannot find module .*missing\.ts/)
    const { passed, failures } = countsOf(output)
    assert.equal(passed, 0)
    assert.equal(failures.length, 4)
    const named = [
      /hangs\.test/,
      /blocks\.test/,
      /rejects\.test\.ts:2: rejects$/,
      /import of the file$/,
    ]
    for (const name of named)
      assert.ok(
        failures.some((failure) => name.test(failure)),
        String(name),
      )
  })

  test('names the test of an error that nothing catches, after waits and in a timer', () => {
    const { passed, failures } = countsOf(
      run({
        late: `import { suite } from 'node:test'
          import { setTimeout as wait } from 'node:timers/promises'
          suite('made after a wait', async () => {
            await wait(1)
            test('passes', () => wait(1))
            test('rejects', async () => {
              await wait(1)
              Promise.reject(new Error('in a promise'))
              await new Promise(() => {})
            })
            test('throws', async () => {
              await wait(1)
              setTimeout(() => { throw new Error('in a timer') }, 1)
              await new Promise(() => {})
            })
          })`,
      }),
    )
    assert.equal(passed, 1)
    assert.deepEqual(
      failures.map((failure) => failure.replace(/^.*?: /, '')),
      ['made after a wait > rejects', 'made after a wait > throws'],
    )
  })

  test('runs the files of each database, with all processes for what is left', () => {
    const quick = "test('passes', () => {})"
    const sources = { one: quick, two: quick, three: quick, four: quick }
    const output = run(sources, { databases: ['sqlite', 'postgres'] })
    assert.deepEqual(countsOf(output), { passed: 7, failures: [] })
    for (const [database, count] of [
      ['sqlite', 4],
      ['postgres', 3],
    ] as const) {
      assert.equal(output.match(new RegExp(`^✔ ${database}, 1 tests`, 'gm'))?.length, count)
    }
  })

  test('counts the tests whose name a pattern has, and their failures', () => {
    const source = `for (const name of ['one', 'two', 'three']) test(name, () => {
      if (name !== 'one') throw new Error(name)
    })`
    const { passed, failures } = countsOf(
      run({ some: source }, { options: ['--test-name-pattern=one|two'] }),
    )
    assert.equal(passed, 1)
    assert.equal(failures.length, 1)
    assert.match(failures[0] ?? '', /: two$/)
  })

  test('the processes of a run that is killed end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-run-'))
    const file = join(folder, 'waits.test.ts')
    writeFileSync(file, "console.log('runs')\nawait new Promise(() => {})")
    const script = `import { runTests } from './tools/test-run.ts'
      const env = { ...process.env, TEST_DATABASE: 'sqlite', NODE_TEST_CONTEXT: undefined }
      await runTests([{ files: [${JSON.stringify(file)}], env, options: [], fileMs: 60_000 }])`
    const run = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: root })
    run.stdout.once('data', () => run.kill('SIGKILL'))
    run.stderr.resume()
    // The output of the run ends when no process holds it.
    const [, signal] = await once(run, 'close')
    assert.equal(signal, 'SIGKILL')
    rmSync(folder, { recursive: true })
  })

  test('npm run flaky reads what failed from the output of a run', () => {
    const failures = ['sqlite, test/a.test.ts:5: a > b', 'both, test/b.ts: the process ended']
    const unmet = 'docs/openapi.json: GET /users 200 is documented, and no test meets it'
    const end = '✖ 5 passed, 3 failed, 7 s\n'
    const output = `✔ sqlite, 2 tests\n${failureList(failures)}✖ ${unmet}\n${end}`
    assert.deepEqual(failuresIn(output, 1), [...failures, unmet])
    assert.deepEqual(failuresIn('✔ 5 passed, 0 failed, 7 s\n', 0), [])
    assert.deepEqual(failuresIn('no room\n', 7), ['the run ended, exit code 7: no room'])
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
