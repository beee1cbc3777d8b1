import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { copyPackage, folderOf, packageNames } from '../../tools/build-packages.ts'

const root = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const maxGzipBytes = { verify: 4000, client: 4200 }
const maxVerifyLines = 200

/** Uses of both packages by a strict compiler without the types of Node. */
const use = `
import { type Claims, createVerifier } from 'gatehouse-verify'
import { createClient, GatehouseError, sharedStore } from 'gatehouse-client'

const gatehouse = createVerifier({ issuer: 'https://auth.example.org', audience: 'api' })
const claims: Claims = await gatehouse.authenticate('Bearer x', { roles: ['ADMIN'] })
export const GET = gatehouse.handler({}, (request) => new Response(gatehouse.callerOf(request).sub))
const client = createClient({ url: 'https://auth.example.org', mode: 'pair', store: sharedStore() })
const { data } = await client.call('GET', '/api/posts/{id}', { path: { id: 1 } })
export const title: string = data.title + claims.sub + GatehouseError.name
// @ts-expect-error the answer has another shape
export const wrong: number = data.title
`

suite('packages', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(folder, { recursive: true }))
  const modules = join(folder, 'node_modules')
  for (const name of packageNames) await copyPackage(name, join(modules, `gatehouse-${name}`))
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })

  for (const name of packageNames) {
    const built = join(modules, `gatehouse-${name}`)
    const code = globSync('dist/*.js', { cwd: built }).map((file) =>
      readFileSync(join(built, file)),
    )

    test(`${name}: has the version of the product, a licence and no dependency`, () => {
      const read = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'))
      assert.deepEqual([read.version, read.license], [version, 'MIT'])
      for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
        assert.equal(read[kind], undefined)
      }
      const imported = code.flatMap((text) => [...String(text).matchAll(/ from '([^']+)'/g)])
      assert.ok(imported.length > 2)
      assert.ok(imported.every(([, path = '']) => path.startsWith('./')))
      assert.match(readFileSync(join(built, 'LICENSE'), 'utf8'), /^MIT License/)
    })

    test(`${name}: publint finds nothing`, () => {
      const publint = join(root, 'node_modules/publint/src/cli.js')
      const { status, stdout, stderr } = run(publint, built, '--strict', '--pack', 'false')
      assert.equal(status, 0, stdout + stderr)
      assert.match(stdout, /All good!/)
    })

    test(`${name}: is small`, () => {
      const bytes = gzipSync(Buffer.concat(code)).length
      assert.ok(bytes <= maxGzipBytes[name], `${bytes} bytes, gzip`)
    })
  }

  test('verify: has at most 200 lines of code', () => {
    const files = globSync('src/*.ts', { cwd: folderOf('verify') }).filter(
      (file) => file !== 'src/types.ts', // which only the compiler reads
    )
    const lines = files.flatMap((file) =>
      readFileSync(join(folderOf('verify'), file), 'utf8').split('\n'),
    )
    const code = lines.filter((line) => line.trim() !== '' && !/^\s*(?:\/\/|\/\*|\*)/.test(line))
    assert.ok(files.length > 3)
    assert.ok(code.length <= maxVerifyLines, `${code.length} lines`)
  })

  test('another project compiles and loads what is packed', () => {
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'src/use.ts'), use)
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', '']
    const libraries = ['--lib', 'es2022,dom', '--noEmit', '--skipLibCheck', 'false']
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const compiled = run(compiler, ...options, ...libraries, 'src/use.ts')
    assert.deepEqual([compiled.status, compiled.stdout], [0, ''])
    writeFileSync(
      join(folder, 'load.js'),
      "import * as verify from 'gatehouse-verify'\nimport * as client from 'gatehouse-client'\nprocess.stdout.write([...Object.keys(verify), ...Object.keys(client)].join())",
    )
    const { stdout } = run('load.js')
    assert.equal(
      stdout,
      'Refusal,createVerifier,GatehouseError,createClient,memoryStore,sharedStore',
    )
  })
})
