import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { modules } from '../src/modules.ts'
import { startService } from './service.ts'
import { extrasOf, removeExtras, withDependents } from './without/remove.ts'

/**
 * Shows that the program works without some extras: `npm run without -- <extra>...`, `-- --all` for
 * every extra, `-- --each` for one after another. A copy of the sources loses the extras and what
 * requires them. What is left must compile, start, and pass the scenarios of the contract.
 */
const root = join(import.meta.dirname, '..')
const scenarios = globSync('test/spec/[2-9]-*.test.ts', { cwd: root }).toSorted()

const extras = extrasOf(root)
const words = process.argv.slice(2)
const unknown = words.find((word) => !['--all', '--each', ...extras].includes(word))
if (words.length === 0 || unknown !== undefined) {
  process.stderr.write(
    `usage: npm run without -- --all | --each | <extra>...\n  ${extras.join('\n  ')}\n`,
  )
  process.exit(2)
}
const runs = words.includes('--each')
  ? extras.map((name) => [name])
  : [words.includes('--all') ? extras : words]
for (const given of runs) await prove(withDependents(given, modules))

async function prove(removed: readonly string[]): Promise<void> {
  const copy = copySources()
  process.stdout.write(`\nwithout ${removed.join(', ')}\n`)
  for (const path of removeExtras(copy, removed)) process.stdout.write(`  deleted: ${path}\n`)
  const node = (...args: string[]) => run(copy, process.execPath, args)
  await step('types of src', () => run(copy, 'tsc', ['-p', 'tsconfig.without.json']))
  await step('documents and types of the client', () => node('tools/docs.ts'))
  await step('types of web', () => run(copy, 'tsc', ['-p', 'web']))
  await step('build of web', () => node('tools/build-web.ts'))
  await step('start', () => starts(copy))
  await step('scenarios of the contract', () => node('tools/test.ts', ...scenarios))
  rmSync(copy, { recursive: true })
}

/** Copies what is compiled and run; packages are linked. */
function copySources(): string {
  const copy = mkdtempSync(join(tmpdir(), 'gatehouse-without-'))
  for (const name of [
    'src',
    'web',
    'docs',
    'deploy',
    'test',
    'tools',
    ...globSync('*.json', { cwd: root }),
  ]) {
    cpSync(join(root, name), join(copy, name), {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !['node_modules', 'dist'].includes(basename(path)),
    })
  }
  for (const path of globSync('{node_modules,tools/*/node_modules}', { cwd: root })) {
    symlinkSync(join(root, path), join(copy, path))
  }
  const compiled = {
    extends: './tsconfig.json',
    include: ['src'],
    exclude: ['src/**/*.test.ts', 'src/extras/api-reference/browser'],
    files: [...scenarios, ...globSync('test/*.d.ts', { cwd: root })],
  }
  writeFileSync(join(copy, 'tsconfig.without.json'), JSON.stringify(compiled))
  return copy
}

async function step(name: string, work: () => unknown): Promise<void> {
  const startedAt = performance.now()
  try {
    await work()
  } catch (error) {
    process.stdout.write(`✖ ${name}: ${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  }
  process.stdout.write(`✔ ${name}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
}

/** Runs a program in a folder; what it says is shown if it fails. @throws Error if it fails */
function run(cwd: string, program: string, args: readonly string[]): void {
  const env = { ...process.env, TEST_DATABASE: 'sqlite' }
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw error ?? new Error(`in ${cwd}\n${stdout}${stderr}`)
}

async function starts(cwd: string): Promise<void> {
  const service = await startService(
    [process.execPath, 'src/main.ts'],
    { HOST: '127.0.0.1' },
    undefined,
    cwd,
  )
  try {
    assert.equal((await fetch(`${service.url}/health/ready`)).status, 200)
    await assertLinks(service.url)
  } finally {
    assert.equal(await service.stop(), 0, 'SIGTERM drains and exits 0')
    service.remove()
  }
}

/** Asserts that the pages for everyone link to nothing that is gone. */
async function assertLinks(url: string): Promise<void> {
  const from = new Map([
    ['/', ''],
    ['/signin', ''],
  ])
  for (const [path, page] of from) {
    const { headers, status, text } = await pageAt(`${url}${path}`)
    assert.notEqual(status, 404, `${path}, to which ${page} links`)
    const links = [...text.matchAll(/\shref="(\/[^"]*)"/g)].map(([, link = '']) => link)
    for (const link of [headers.get('location') ?? '', ...links]) {
      if (link.startsWith('/') && !from.has(link)) from.set(link, path)
    }
  }
}

async function pageAt(address: string) {
  const answer = await fetch(address, { headers: { accept: 'text/html' }, redirect: 'manual' })
  return { headers: answer.headers, status: answer.status, text: await answer.text() }
}
