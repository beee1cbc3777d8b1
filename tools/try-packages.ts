import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageNames } from './build-packages.ts'

/** Packs the packages for developers by npm, lints the archives, and loads what npm installs of them. */
const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-packages-'))
const run = (cwd: string, program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
try {
  const packed = packageNames.map((name) => `./packages/${name}`)
  run(root, 'npm', 'pack', '--silent', '--pack-destination', folder, ...packed)
  const archives = globSync('*.tgz', { cwd: folder }).map((name) => join(folder, name))
  assert.equal(archives.length, packageNames.length)
  for (const archive of archives) {
    run(root, process.execPath, 'node_modules/publint/src/cli.js', archive, '--strict')
    const files = run(root, 'tar', '--list', '--gzip', '--file', archive).trim().split('\n')
    const others = files.filter((path) => !/^package\/dist\/[a-z-]+\.(?:d\.ts|js)$/.test(path))
    const named = ['LICENSE', 'README.md', 'package.json'].map((name) => `package/${name}`)
    assert.deepEqual(others.toSorted(), named)
  }
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "type": "module" }')
  run(project, 'npm', 'install', '--no-audit', '--no-fund', '--silent', ...archives)
  const installed = globSync('node_modules/*/package.json', { cwd: project })
  assert.equal(installed.length, packageNames.length, 'nothing else is installed')
  const use = packageNames.map((name) => `await import('gatehouse-${name}')`).join('\n')
  run(project, process.execPath, '--input-type=module', '--eval', use)
  process.stdout.write(`The packages work where they are installed: ${packageNames.join(', ')}.\n`)
} finally {
  rmSync(folder, { recursive: true })
}
