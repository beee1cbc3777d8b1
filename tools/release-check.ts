import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cgroup } from './release/docker.ts'
import { install, isolated, Skipped } from './release/stage.ts'
import { type Name, stages } from './release/stages.ts'

/**
 * `npm run release-check`: what takes too long for each change. `-- NAME...` runs some stages alone.
 * A stage whose tools cannot be had is skipped with a line.
 */
const names = Object.keys(stages) as Name[] // keys of a table of this repository
/** Programs that need no stage of their own. */
const programs = {
  databases: ['tools/test.ts', '--complete'],
  extras: ['tools/without.ts', '--each'],
}
const all = [...Object.keys(programs), ...names]
const words = process.argv.slice(2)
if (words.some((word) => !all.includes(word))) {
  process.stderr.write(`usage: npm run release-check -- [${all.join(' | ')}]...\n`)
  process.exit(2)
}
const wanted = (name: string) => words.length === 0 || words.includes(name)
for (const name of names.filter(wanted)) tryStage(name)
for (const [name, program] of Object.entries(programs)) {
  if (!wanted(name)) continue
  process.stdout.write(`\n${name}\n`)
  const { status } = spawnSync(process.execPath, program, { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}

function tryStage(name: Name): void {
  const startedAt = performance.now()
  process.stdout.write(`\n${name}\n`)
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-release-'))
  try {
    if (process.getuid?.() !== 0) throw new Skipped('it needs root')
    install(['iproute2', 'util-linux'])
    stages[name].prepare(folder)
    const inside = [process.execPath, 'tools/release/inside.ts', name, folder]
    const { status } = spawnSync('unshare', [...isolated, '--net', '--ipc', ...inside], {
      stdio: 'inherit',
      timeout: 20 * 60_000,
      killSignal: 'SIGKILL',
    })
    if (status !== 0) throw new Error(`exit code ${status}`)
    process.stdout.write(`✔ ${name}, ${Math.round((performance.now() - startedAt) / 1000)} s\n`)
  } catch (error) {
    const isSkipped = error instanceof Skipped
    if (!isSkipped) process.exitCode = 1
    const reason = error instanceof Error ? error.message : error
    process.stdout.write(`${isSkipped ? '- skipped' : '✖'} ${name}: ${reason}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
    for (const path of globSync(`/sys/fs/cgroup/*/${cgroup}`)) removeCgroup(path)
  }
}

/** Docker leaves the empty parent of its containers. */
function removeCgroup(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) removeCgroup(join(path, entry.name))
  }
  try {
    rmdirSync(path)
  } catch {} // another run uses it
}
