import { execFileSync, spawnSync } from 'node:child_process'
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, release, type as systemName, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { programOf } from '../../test/use-it/listings.ts'
import type { Machine } from './report/figure.ts'

const fsyncMs = 1000
/** Of all counters in /proc/stat, per second. proc(5): USER_HZ, 100 on every current Linux. */
const ticksPerSecond = 100
const kernelThreads = 2

export function machine(): Machine {
  const [first] = cpus()
  return {
    processor: first?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: totalmem() / 1e9,
    kernel: `${systemName()} ${release()}`,
    node: process.versions.node,
    loadAverage: loadavg(),
    fileSystem: fileSystem(),
    fsyncsPerSecond: fsyncsPerSecond(),
    versions: versions(),
  }
}

/** Watches what other programs use; the first call starts, `cores` ends. */
export function watchOthers(): { cores(): number } {
  const before = counters()
  const startedAt = performance.now()
  return {
    cores() {
      const after = counters()
      const seconds = (performance.now() - startedAt) / 1000
      const [busy, ours] = [after.busy - before.busy, after.ours - before.ours]
      return Math.max(0, (busy - ours) / ticksPerSecond / seconds)
    },
  }
}

/**
 * Ticks of the whole machine with stolen ticks and without interrupts; and ticks of this process,
 * its descendants and the kernel's threads.
 */
function counters(): { busy: number; ours: number } {
  const [, user = 0, nice = 0, system = 0, , , , , stolen = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? ''
  )
    .split(/ +/)
    .map(Number)
  const pids = [...treeOf(process.pid), ...(isKernel(kernelThreads) ? treeOf(kernelThreads) : [])]
  const ours = pids.reduce((sum, pid) => sum + ticksOf(pid), 0)
  return { busy: user + nice + system + stolen, ours }
}

function isKernel(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'kthreadd\n'
  } catch {
    return false // in a container
  }
}

export function treeOf(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = Number(statOf(Number(name))[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found = [pid]
  for (const each of found) found.push(...(children.get(each) ?? []))
  return found
}

/** User and system time of a process, with that of its children that have ended. proc(5) */
function ticksOf(pid: number): number {
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = statOf(pid)
    .slice(11, 15)
    .map(Number)
  return user + system + childUser + childSystem
}

/** The fields of /proc/PID/stat behind the name; none if the process has ended. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

function fileSystem(): string {
  try {
    return execFileSync('stat', ['-f', '-c', '%T', tmpdir()], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}

function fsyncsPerSecond(): number {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-fsync-'))
  const file = openSync(join(folder, 'file'), 'w')
  const bytes = Buffer.alloc(4096, 1)
  const startedAt = performance.now()
  let count = 0
  for (; performance.now() - startedAt < fsyncMs; count += 1) {
    writeSync(file, bytes, 0, bytes.length, count * bytes.length)
    fsyncSync(file)
  }
  const rate = (count * 1000) / (performance.now() - startedAt)
  closeSync(file)
  rmSync(folder, { recursive: true })
  return rate
}

function versions(): Record<string, string> {
  const ours = createRequire(join(import.meta.dirname, '../../package.json'))
  const peers: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'),
  )
  return {
    gatehouse: ours('./package.json').version,
    'SQLite of node:sqlite': process.versions.sqlite ?? 'unknown',
    PostgreSQL: ours('./tools/postgres/package.json').version,
    ...peers.dependencies,
    'glewlwyd (Debian)': debianVersion('glewlwyd'),
    'nginx (Debian)': nginxVersion(),
  }
}

/** What is checked out, with `+` if files differ from it; `unknown` without git. */
export function commit(): string {
  const git = (...words: string[]) => spawnSync('git', words, { cwd: import.meta.dirname })
  const { status, stdout } = git('rev-parse', '--short', 'HEAD')
  if (status !== 0) return 'unknown'
  const changed = git('status', '--porcelain', '--', '../src', '../package-lock.json').stdout
  return `${stdout.toString().trim()}${changed.length > 0 ? '+' : ''}`
}

function debianVersion(name: string): string {
  const { status, stdout } = spawnSync('dpkg-query', ['-W', `-f=\${Version}`, name])
  return status === 0 && stdout.length > 0 ? stdout.toString() : 'not installed'
}

function nginxVersion(): string {
  const { stderr } = spawnSync(programOf('nginx'), ['-v'], { encoding: 'utf8' })
  return /nginx\/([0-9.]+)/.exec(stderr ?? '')?.[1] ?? 'not installed'
}
