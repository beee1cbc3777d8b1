import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, suite, test } from 'node:test'
import { runFiles } from '../tools/test-workers.ts'

const root = join(import.meta.dirname, '..')

suite('the runner of npm test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-runner-'))
  after(() => rmSync(folder, { recursive: true }))

  function fileOf(name: string, source: string): string {
    const path = join(folder, `${name}.test.ts`)
    const imports = "import { after, afterEach, beforeEach, suite, test } from 'node:test'\n"
    writeFileSync(path, imports + source)
    return path
  }
  function node(args: readonly string[], input = '') {
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
    return spawnSync(process.execPath, args, { cwd: root, env, input, encoding: 'utf8' })
  }
  const worker = (...files: string[]) =>
    node(['tools/test-worker.ts'], files.map((file) => `${file}\n`).join(''))
  const countsIn = (output: string) =>
    [...output.matchAll(/\0(.*)\n/g)].map(([, line = '']) => JSON.parse(line))

  test('says at the beginning how many files are to come', () => {
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined, TEST_DATABASE: 'sqlite' }
    const { stdout } = spawnSync(
      process.execPath,
      ['tools/test.ts', 'src/core/hints/near-name.test.ts'],
      {
        cwd: root,
        env,
        encoding: 'utf8',
      },
    )
    assert.match(stdout, /^test files: 1 on sqlite\n✔ sqlite, [0-9]+ tests, /)
  })

  test('does the same in the same order as the runner of Node', () => {
    const path = fileOf(
      'order',
      `const say = (text: string) => () => console.log('- ' + text)
       const later = () => new Promise((resolve) => setTimeout(resolve, 1))
       beforeEach(say('before each of all'))
       afterEach((t) => console.log('- after each', t.name, 'passed' in t && t.passed))
       suite('one', async () => {
         await later()
         after(say('after one'))
         beforeEach(async () => { await later(); say('before each of one')() })
         afterEach(say('after each of one'))
         test('a', (t) => { t.after(say('t.after a')); after(say('after a')); say('a')() })
         suite('within', () => { after(say('after within')); test('b', say('b')) })
         test('skipped', { skip: 'for a reason' }, say('never'))
         test('skips itself', (t) => t.skip())
         test('fails', async () => { await later(); throw new Error('as it should') })
         test('mocks', (t) => t.mock.method(Math, 'max', () => 7) && say('max ' + Math.max(1))())
       })
       suite('two', { concurrency: true }, () => {
         test('slow', async () => { await later(); say('slow')() })
         test('quick', () => say('quick, max ' + Math.max(1))())
       })
       test('alone', say('alone'))`,
    )
    const lines = (output: string) => output.split('\n').filter((line) => line.startsWith('- '))
    const known = node(['--test', '--test-isolation=none', '--test-reporter=spec', path])
    const own = worker(path)
    assert.ok(lines(own.stdout).length > 30, own.stderr)
    assert.deepEqual(lines(own.stdout), lines(known.stdout))
    assert.deepEqual(countsIn(own.stdout), [{ tests: 9, suites: 3, pass: 6, fail: 1, skipped: 2 }])
    assert.match(known.stdout, /pass 6\n.*fail 1\n.*cancelled 0\n.*skipped 2\n/)
  })

  test('tells of each that failed, by what nothing catches as well, and goes on', () => {
    const path = fileOf(
      'failures',
      `suite('s', () => {
         test('asserts', () => { throw new Error('one') })
         test('rejects beside itself', async () => {
           Promise.reject(new Error('two'))
           await new Promise(() => {})
         })
         test('throws beside itself', async () => {
           setTimeout(() => { throw new Error('three') })
           await new Promise(() => {})
         })
         test('cannot be put away', (t) => {
           t.mock.method(Math, 'max', () => 7)
           t.after(() => { throw new Error('four') })
         })
         test('is well', () => { if (Math.max(1) !== 1) throw new Error('still mocked') })
       })
       suite('unnamed', () => { test('is lost', () => {}); throw new Error('five') })
       suite('left open', () => { after(() => { throw new Error('six') }); test('is well', () => {}) })`,
    )
    const missing = join(folder, 'missing.test.ts')
    const { stdout, status } = worker(path, missing, fileOf('next', "test('is well', () => {})"))
    const told = [...stdout.matchAll(/^✖ (.*) \(\d+ ms\)\n {2}Error[^:]*: (.*)$/gm)]
    assert.deepEqual(
      told.slice(0, -1).map(([, name, message]) => [name, message]),
      [
        ['s > asserts', 'one'],
        ['s > rejects beside itself', 'two'],
        ['s > throws beside itself', 'three'],
        ['s > cannot be put away', 'four'],
        ['unnamed', 'five'],
        ['left open', 'six'],
      ],
    )
    assert.match(told.at(-1)?.[2] ?? '', /^Cannot find module .*missing\.test\.ts/)
    assert.deepEqual(countsIn(stdout), [
      { tests: 6, suites: 3, pass: 2, fail: 6, skipped: 0 },
      { tests: 0, suites: 0, pass: 0, fail: 1, skipped: 0 },
      { tests: 1, suites: 0, pass: 1, fail: 0, skipped: 0 },
    ])
    assert.equal(status, 0)
  })

  test('fails the file that ends its process, and runs the others', async () => {
    const died = fileOf('died', "test('ends', () => process.exit(0))")
    const files = [
      died,
      ...['one', 'other'].map((name) => fileOf(name, "test('is well', () => {})")),
    ]
    const told: string[] = []
    await runFiles(files, process.env, ({ file, counts }) => {
      told.push(`${basename(file)} ${JSON.stringify(counts)}`)
    })
    const isWell = '{"tests":1,"suites":0,"pass":1,"fail":0,"skipped":0}'
    assert.deepEqual(told.toSorted(), [
      'died.test.ts {"fail":1}',
      `one.test.ts ${isWell}`,
      `other.test.ts ${isWell}`,
    ])
  })
})
