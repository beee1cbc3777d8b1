import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { filesBesideCode } from './build.ts'
import { assertServes, startService } from './service.ts'

/**
 * Packs the package, compares what is in it with what should be, and uses it as another project
 * would: installed in an empty folder with an empty home, by npm alone.
 */
const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-package-'))
try {
  const { file, files, size, unpackedSize } = pack()
  assertFiles(files)
  run(root, process.execPath, 'node_modules/publint/src/cli.js', file, '--strict')
  const project = installed(file)
  const packages = globSync(['node_modules/*/package.json', 'node_modules/@*/*/package.json'], {
    cwd: project,
  })
  await useCommandLine(project)
  refuseTraces(project)
  useInTests(project)
  refuseOlderNode(project)
  process.stdout.write(
    `The package works where it is installed: ${files.length} files, ${kib(size)} KiB packed,
${kib(unpackedSize)} KiB unpacked, ${packages.length} packages with its dependencies.\n`,
  )
} finally {
  rmSync(folder, { recursive: true })
}

interface Packed {
  readonly file: string
  readonly files: readonly string[]
  readonly size: number
  readonly unpackedSize: number
}

/** `prepack` builds. */
function pack(): Packed {
  run(root, 'npm', 'pack', '--silent', '--pack-destination', folder)
  const [file = ''] = globSync('*.tgz', { cwd: folder }).map((name) => join(folder, name))
  const lines = run(root, 'tar', '--list', '--gzip', '--verbose', '--file', file).split('\n')
  const entries = lines.flatMap((line) => {
    const [, bytes, name] = /^-\S+\s+\S+\s+(\d+)\s+\S+\s+\S+\s+package\/(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [{ name, bytes: Number(bytes) }]
  })
  return {
    file,
    files: entries.map(({ name }) => name),
    size: readFileSync(file).length,
    unpackedSize: entries.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** What is in the package: the code, what it reads, the guides and lists. No tests, no tools. */
function assertFiles(files: readonly string[]): void {
  const code = globSync('src/**/*.ts', { cwd: root }).filter(
    (path) => !/(?:\.test|\/examples|\.d)\.ts$/.test(path),
  )
  const wanted = [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'package.json',
    'docs/openapi.json',
    'docs/forward-auth.schema.json', // named by files of rules
    ...globSync('docs/*.{md,txt}', { cwd: root }),
    ...globSync('docs/benchmarks/*.svg', { cwd: root }), // shown by docs/benchmarks.md
    ...globSync('docs/images/*.png', { cwd: root }), // shown by README.md
    ...code.map((path) => path.replace(/^src/, 'dist').replace(/\.ts$/, '.js')),
    ...filesBesideCode().map((path) => `dist/${path}`),
    'dist/testing.d.ts',
    ...globSync('web/dist/**/*.*', { cwd: root }),
  ]
  assert.deepEqual(files.toSorted(), wanted.toSorted())
}

/** A project of another team. */
function installed(file: string): string {
  const project = join(folder, 'project')
  mkdirSync(join(folder, 'home'))
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "version": "1.0.0" }')
  const options = ['--no-audit', '--no-fund', '--silent']
  runWith({ ...environment(), PATH: ofMachine() }, project, 'npm', 'install', ...options, file)
  return project
}

async function useCommandLine(project: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.match(run(project, 'npx', 'gatehouse', '--version'), new RegExp(`\\b${version}\\n$`))
  const password = 'a password for one minute'
  const data = join(folder, 'data')
  const service = await startService(
    ['npx', 'gatehouse', 'start'],
    { ...environment(), ADMIN_PASSWORD: password },
    data,
    project,
  )
  const exited = new Promise((resolve) => service.process.once('exit', resolve))
  service.process.ref()
  try {
    await assertServes(service, password)
  } finally {
    stopServiceOf(data)
  }
  assert.equal(await exited, 0)
}

/** Stops the service itself, by the process id in the name of its note: npx passes no signal on. */
function stopServiceOf(data: string): void {
  const [note = ''] = globSync('service-*.json', { cwd: data })
  process.kill(Number(/\d+/.exec(note)?.[0]), 'SIGTERM')
}

/** The packages of OpenTelemetry are optional: without the packages the start names the command. */
function refuseTraces(project: string): void {
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const packages = Object.entries(peerDependencies).map((each) => each.join('@'))
  const env = { ...process.env, ...environment(), DATA_DIR: join(folder, 'traces') }
  const { status, stderr } = spawnSync('npx', ['gatehouse', 'start'], {
    cwd: project,
    env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' },
    encoding: 'utf8',
  })
  const sentence = `traces need packages that are not installed; install the packages with \`npm install ${packages.join(' ')}\`, or unset OTEL_EXPORTER_OTLP_ENDPOINT`
  assert.deepEqual([status, stderr], [1, `Gatehouse cannot start: ${sentence}\n`])
}

function useInTests(project: string): void {
  copyFileSync(join(root, 'tools/package/their-tests.mjs'), join(project, 'their.test.mjs'))
  const use: string[] = [
    "import { startForTests, type TestService } from 'gatehouse/testing'",
    'const service: TestService = await startForTests({ settings: {} })',
    'const text: string = service.baseUrl + service.admin.password',
    'await service.stop().then(() => text)',
  ]
  writeFileSync(join(project, 'their.mts'), use.join('\n'))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022']
  run(project, process.execPath, compiler, ...strict, '--types', '', 'their.mts')
  run(project, process.execPath, '--test', 'their.test.mjs')
}

/** With a Node of the machine, if there is one that is too old. */
function refuseOlderNode(project: string): void {
  const node = ofMachine()
    .split(delimiter)
    .map((path) => join(path, 'node'))
    .find((path) => spawnSync(path, ['--version']).status === 0)
  const version =
    node && spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)
  if (!node || Number.parseInt(version ?? '', 10) >= 26) {
    process.stdout.write('No older Node on this machine: its refusal is not tried.\n')
    return
  }
  const sentence = `Gatehouse needs Node.js 26 or newer, and this is ${version}.`
  const outcomeOf = (...args: readonly string[]): unknown[] => {
    const { status, stdout, stderr } = spawnSync(node, args, { cwd: project, encoding: 'utf8' })
    return [status, stdout, stderr]
  }
  for (const program of ['cli/main.js', 'main.js']) {
    const path = join(project, 'node_modules/gatehouse/dist', program)
    assert.deepEqual(outcomeOf(path, 'start'), [1, '', `${sentence}\n`])
  }
  const use = `import('gatehouse/testing').then(({ startForTests }) => startForTests())
    .catch(({ message }) => console.log(message))`
  assert.deepEqual(outcomeOf('-e', use), [0, `${sentence}\n`, ''])
}

/** An empty home, a folder of its own for temporary files, and the Node of this process before others. */
function environment(): Record<string, string> {
  const { PATH = '' } = process.env
  const home = join(folder, 'home')
  return {
    HOME: home,
    TMPDIR: home,
    PATH: [dirname(process.execPath), ...PATH.split(delimiter)].join(delimiter),
  }
}

/** The PATH without the Node of this project: npm finds its settings (certificates) beside its own Node. */
function ofMachine(): string {
  const own = dirname(process.execPath)
  const paths = (process.env.PATH ?? '').split(delimiter)
  return paths.filter((path) => path !== own && !path.includes('node_modules')).join(delimiter)
}

function run(cwd: string, program: string, ...args: string[]): string {
  return runWith(cwd === root ? {} : environment(), cwd, program, ...args)
}

function runWith(
  more: Readonly<Record<string, string>>,
  cwd: string,
  program: string,
  ...args: string[]
): string {
  // npm passes its settings to scripts by variables: this project's settings must not reach another project.
  const inherited = Object.entries(process.env).filter(
    ([name]) => cwd === root || !/^npm_(package|lifecycle|config_(local_prefix|prefix))/.test(name),
  )
  const env = { ...Object.fromEntries(inherited), ...more }
  return execFileSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

function kib(bytes: number): number {
  return Math.round(bytes / 1024)
}
