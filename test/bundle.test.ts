import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bundleFolder, currentBundle, inputsFile } from '../src/cli/bundle.ts'
import { bundle, codeOf } from '../tools/bundle.ts'

const root = join(import.meta.dirname, '..')

suite('the bundle that a start takes', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(checkout, { recursive: true }))
  const folder = join(checkout, bundleFolder)
  const inputs = [
    'src/start.ts',
    `${bundleFolder}/dist/start.js`,
    'node_modules/fastify/fastify.js',
    'node_modules/.package-lock.json',
  ]
  const modified = new Date('2026-11-22T10:00:00.123Z')

  /** Writes the inputs and a bundle of them. */
  function make(): void {
    mkdirSync(join(folder, 'dist'), { recursive: true })
    const written = inputs.map((path) => {
      const file = join(checkout, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, 'one')
      utimesSync(file, modified, modified)
      return [path, 3, statSync(file).mtimeMs]
    })
    writeFileSync(join(folder, inputsFile), JSON.stringify(written))
  }

  test('is the one of the files as they are', () => {
    make()
    assert.equal(currentBundle(checkout), pathToFileURL(join(folder, 'dist/')).href)
  })

  const changes: readonly (readonly [string, (file: string) => void])[] = [
    ['was edited', (file) => writeFileSync(file, 'other')],
    [
      'was edited, with the time of before',
      (file) => {
        writeFileSync(file, 'other')
        utimesSync(file, modified, modified)
      },
    ],
    ['is another one of the same size', (file) => writeFileSync(file, 'two')],
    ['is older', (file) => utimesSync(file, modified, new Date('2020-01-01T00:00:00Z'))],
    ['is gone', (file) => rmSync(file)],
  ]
  for (const path of inputs) {
    for (const [change, apply] of changes) {
      test(`is none if ${path} ${change}`, () => {
        make()
        apply(join(checkout, path))
        assert.equal(currentBundle(checkout), undefined)
      })
    }
  }

  test('is the one that root or the owner of the sources has made, for another user', () => {
    make()
    assert.ok(currentBundle(checkout, statSync(checkout).uid + 1))
  })

  for (const path of ['.', '..', '../..', 'dist']) {
    test(`is none if every user may write ${join(bundleFolder, path)}, or if it is a link`, () => {
      make()
      const open = join(folder, path)
      const { mode } = statSync(open)
      chmodSync(open, 0o777)
      assert.equal(currentBundle(checkout), undefined)
      chmodSync(open, mode)
      assert.ok(currentBundle(checkout))
      const planted = join(checkout, 'planted')
      renameSync(open, planted)
      symlinkSync(planted, open)
      assert.equal(currentBundle(checkout), undefined)
      rmSync(open)
      renameSync(planted, open)
      assert.ok(currentBundle(checkout))
    })
  }

  test('is none of another user', { skip: process.getuid?.() !== 0 && 'not root' }, () => {
    make()
    chownSync(folder, 4321, 4321)
    assert.equal(currentBundle(checkout), undefined)
    assert.equal(currentBundle(checkout, 1234), undefined)
    chownSync(folder, 0, 0)
    assert.ok(currentBundle(checkout, 1234))
  })

  for (const [what, text] of [
    ['half written', '[["src/start.ts",3,'],
    ['empty', ''],
    ['no list', '{}'],
    ['a list of something else', '[null]'],
  ] as const) {
    test(`is none if its list of files is ${what}`, () => {
      make()
      writeFileSync(join(folder, inputsFile), text)
      assert.equal(currentBundle(checkout), undefined)
    })
  }

  test('is none in an installation without one', () => {
    rmSync(folder, { recursive: true })
    assert.equal(currentBundle(checkout), undefined)
  })
})

suite('what is bundled', () => {
  mkdirSync(join(root, 'node_modules/.cache/gatehouse'), { recursive: true })
  const folder = mkdtempSync(join(root, 'node_modules/.cache/gatehouse/test-'))
  const dist = join(folder, 'dist')
  after(() => rmSync(folder, { recursive: true }))

  test('serves what the sources serve, and finds the files beside the code', async () => {
    const inputs = await bundle(dist)
    cpSync(join(root, 'package.json'), join(folder, 'package.json'))
    for (const path of [
      'node_modules/.package-lock.json',
      'node_modules/kysely/package.json',
      'node_modules/kysely/dist/kysely.js',
      'package.json',
      'src/modules/accounts/commands.ts',
      'src/core/http/pages/style.css',
      'src/start.ts',
      'src/core/password-strength/breached/passwords.bin',
    ]) {
      const { size, mtimeMs } = statSync(join(root, path))
      assert.deepEqual(
        inputs.filter(([name]) => name === path),
        [[path, size, mtimeMs]],
      )
    }
    const code = codeOf(dist, 'named')
    for (const path of ['start.js', 'cli/run.js']) {
      const { size, mtimeMs } = statSync(join(dist, path))
      const found = code.filter(([name]) => name === `named/${path}`)
      assert.deepEqual(found, [[`named/${path}`, size, mtimeMs]])
    }
    assert.ok(code.some(([path]) => /^named\/service-[^/]+\.js$/.test(path)))
    const { startTestService }: typeof import('../src/test-service.ts') = await import(
      pathToFileURL(join(dist, 'test-service.js')).href
    )
    const { baseUrl, admin, stop } = await startTestService({})
    try {
      const basic = `Basic ${Buffer.from(`admin:${admin.password}`).toString('base64')}`
      const account = { username: 'ann', password: 'password1234', roles: ['USER'] }
      const refused = await fetch(`${baseUrl}/api/admin/accounts`, {
        method: 'POST',
        headers: { authorization: basic, 'content-type': 'application/json' },
        body: JSON.stringify(account),
      })
      assert.equal(refused.status, 400)
      for (const path of ['/', '/api/docs']) {
        const page = await fetch(baseUrl + path, { headers: { accept: 'text/html' } })
        assert.equal(page.status, 200, path)
        const assets = [...(await page.text()).matchAll(/"(\/assets\/[^"]+)"/g)]
        assert.ok(assets.length > 0, path)
        for (const [, address = ''] of assets) {
          assert.equal((await fetch(baseUrl + address)).status, 200, address)
        }
      }
    } finally {
      await stop()
    }
  })

  test('has the command line, with its commands and its exit codes', () => {
    const outcomeOf = (...args: readonly string[]) => {
      const main = join(dist, 'cli/main.js')
      const env = { DATA_DIR: folder }
      const { status, stdout } = spawnSync(process.execPath, [main, ...args], {
        env,
        encoding: 'utf8',
      })
      return [status, stdout]
    }
    const [status, help] = outcomeOf('help', 'account')
    assert.equal(status, 0)
    assert.match(String(help), /^gatehouse <command> \[options\]\n\n {2}account add <username> /)
    assert.deepEqual(outcomeOf('account', 'add', '--nothing'), [2, ''])
    assert.deepEqual(outcomeOf('account', 'lock', 'ann'), [3, ''])
  })
})
