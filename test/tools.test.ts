import assert from 'node:assert/strict'
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { buildWeb } from '../tools/build-web.ts'
import type { Load } from '../tools/hostile/load.ts'
import { databaseMatters, filesOf, namesIn, read, runsOn } from '../tools/test-files.ts'

suite('npm test', () => {
  test('takes a path, a part of one, or a part of the name of a test, whatever its case', () => {
    assert.deepEqual(filesOf(['test/tools.test.ts']), ['test/tools.test.ts'])
    assert.deepEqual(filesOf(['OOLS.TEST', 'test/tools.test.ts']), ['test/tools.test.ts'])
    assert.deepEqual(filesOf(['a part of the name of a test, whatever']), ['test/tools.test.ts'])
    const [word, path] = ['login', 'test/spec/8-login-limits.test.ts']
    assert.ok(filesOf([word]).includes(path))
    assert.throws(() => filesOf([`${word}${path}`]), /^Error: no test file, path or test name/)
    assert.ok(filesOf([]).every((file) => !file.startsWith('test/faults/')))
  })

  test('takes a folder for the test files in it, however it is written', () => {
    const files = filesOf(['src/core/password-strength'])
    assert.ok(files.includes('src/core/password-strength/guessing-bits.test.ts'))
    assert.ok(files.every((file) => /^src\/core\/password-strength\/.+\.test\.ts$/.test(file)))
    for (const word of ['src/core/password-strength/', './src/core/password-strength'])
      assert.deepEqual(filesOf([word]), files)
    assert.ok(filesOf(['test']).every((file) => file.startsWith('test/')))
  })

  test('runs on PostgreSQL what can differ there, and all that knows a database where it is complete', () => {
    for (const [file, usual, complete] of [
      ['test/attacks/nodes.test.ts', true, true],
      ['test/attacks/paths.test.ts', false, true], // it does not say that it can differ
      ['test/forward/proxies.test.ts', false, true], // it starts the service by a helper of its own
      ['test/tools.test.ts', false, false],
    ] as const) {
      assert.equal(runsOn('sqlite', file, { isComplete: false }), true, file)
      assert.equal(runsOn('postgres', file, { isComplete: false }), usual, file)
      assert.equal(runsOn('postgres', file, { isComplete: true }), complete, file)
    }
  })

  test('what runs on every database says why; what can run on one alone is among it', () => {
    const marked = filesOf([]).filter((file) => read(file).startsWith(databaseMatters))
    assert.ok(marked.length > 30)
    for (const file of marked) {
      assert.match(read(file), /^\/\/ A database makes a difference: [A-Za-z].{15,}\.\n/, file)
      assert.ok(runsOn('postgres', file, { isComplete: false }), file)
    }
    const forPostgres = filesOf([]).filter((file) => /\bpostgresOnly\(/.test(read(file)))
    assert.ok(forPostgres.length > 0)
    assert.deepEqual(
      forPostgres.filter((file) => file !== 'test/tools.test.ts' && !marked.includes(file)),
      [],
    )
  })

  test('builds the pages first, and starts no service in production because of that', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const { NODE_ENV } = process.env
    t.after(() => {
      rmSync(folder, { recursive: true, force: true })
      if (NODE_ENV !== undefined) process.env.NODE_ENV = NODE_ENV
    })
    delete process.env.NODE_ENV
    await buildWeb(join(folder, 'web'))
    assert.ok(existsSync(join(folder, 'web/client/pages.js')))
    assert.ok(!('NODE_ENV' in process.env))
    process.env.NODE_ENV = 'test'
    await buildWeb(join(folder, 'web'))
    assert.equal(process.env.NODE_ENV, 'test')
    delete process.env.NODE_ENV
  })

  test('reads names in any quotes, of every kind of test', () => {
    const source = "test('it\\'s', () => {})\nsuite(`b c`, x)\nsqliteOnly(\n  \"d\",\n y)"
    assert.deepEqual(namesIn(source), ["it\\'s", 'b c', 'd'])
    assert.deepEqual(namesIn("vectorsTest(file, 'e', () => {})\nlatest('no')"), ['e'])
  })
})

test('every file of hostile loads exports them by the name that prove:hostile asks for', async () => {
  const folder = join(import.meta.dirname, '../tools/hostile')
  const names: string[] = []
  for (const file of globSync('*-loads.ts', { cwd: folder })) {
    const { loads }: { loads?: readonly Load[] } = await import(join(folder, file))
    assert.ok(loads && loads.length > 0, file)
    names.push(...loads.map(({ name }) => name))
  }
  assert.ok(names.length > 0)
  assert.equal(new Set(names).size, names.length)
})
