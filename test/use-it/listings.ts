import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { until } from '../until.ts'

const root = join(import.meta.dirname, '../..')

/** Reads a document, named by its path from the root. */
export function textOf(document: string): string {
  return readFileSync(join(root, document), 'utf8')
}

/**
 * Reads the listings of a document: blocks of code whose first line is a comment with the name of
 * their file. Answers the blocks by these names, and refuses a name that occurs twice.
 */
export function listingsOf(document: string): ReadonlyMap<string, string> {
  const listings = new Map<string, string>()
  for (const [, text = ''] of textOf(document).matchAll(/^```[a-z]*\n(.*?)^```$/gms)) {
    const [, name] = /^(?:\/\/|#) (Caddyfile|[a-z-]+\.[a-z]+)\n/.exec(text) ?? []
    if (name === undefined) continue
    assert.ok(!listings.has(name), `two listings are called ${name}`)
    listings.set(name, text)
  }
  return listings
}

/** Packages that listings import, by the names under which this project has them. */
const packages = {
  express: 'listing-express',
  fastify: 'fastify',
  hono: 'listing-hono',
  jose: 'jose',
}

/**
 * Writes listings into a folder of their own, in which they find the packages that they import, and
 * `more` packages by their paths. It is removed when the tests of the file are done.
 */
export function folderOf(
  listings: ReadonlyMap<string, string>,
  more: Readonly<Record<string, string>> = {},
): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  mkdirSync(join(folder, 'node_modules'))
  for (const [name, installed] of Object.entries(packages)) {
    symlinkSync(join(root, 'node_modules', installed), join(folder, 'node_modules', name))
  }
  for (const [name, path] of Object.entries(more)) {
    symlinkSync(path, join(folder, 'node_modules', name))
  }
  for (const [name, text] of listings) writeFileSync(join(folder, name), text)
  return folder
}

/** A listing that needs more than npm installs. */
export interface OtherProgram {
  readonly command: readonly [string, ...string[]]
  /** Why it cannot run on this machine; false if it can. */
  readonly missing: string | false
}

/** The path of a program that .ci/run has put into the cache, otherwise its name. */
export function programOf(name: string): string {
  const paths = ['listings/usr/sbin', 'listings/usr/bin', 'listings/python/bin'].map((folder) =>
    join(root, 'node_modules/.cache', folder, name),
  )
  return paths.find((path) => existsSync(path)) ?? name
}

/** The listing in Python, which needs three packages. */
export function pythonProgram(): OtherProgram {
  const python = programOf('python3')
  const needed = 'flask, jwt, cryptography'
  return {
    command: [python, 'orders.py'],
    missing: missing([python, '-c', `import ${needed}`], needed),
  }
}

/** The listing in Go, built in its folder. */
export function goProgram(folder: string): OtherProgram {
  return {
    command: ['./orders'],
    missing: missing(['go', 'version']) || missingModules(folder),
  }
}

/** Builds the listing in Go; answers why it cannot be built here. */
function missingModules(folder: string): string | false {
  const go = (...args: string[]) => spawnSync('go', args, { cwd: folder, encoding: 'utf8' })
  go('mod', 'init', 'orders')
  if (go('mod', 'tidy').status !== 0) return 'the modules of the listing cannot be fetched'
  const { status, stderr } = go('build', '-o', 'orders', '.')
  assert.equal(status, 0, stderr)
  return false
}

/** Why a program cannot run, false if it can: `what` is not installed. */
export function missing(
  [program = '', ...args]: readonly string[],
  what = program,
): string | false {
  return spawnSync(program, args).status !== 0 && `not installed: ${what}`
}

export interface Running {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly ports: readonly number[]
}

/** Starts a program of a listing; resolves when all its ports accept connections. */
export async function startProgram(
  [program = '', ...args]: readonly string[],
  { folder, env, ports }: Running,
): Promise<void> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  after(() => child.kill())
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  await until(async () => {
    assert.equal(child.exitCode, null, output)
    return (await Promise.all(ports.map(isListening))).every(Boolean)
  })
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
