import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleFolder, inputsFile } from '../src/cli/bundle.ts'
import { reasonOf } from '../src/core/reason.ts'

// Runs after the installation: builds the pages, and makes the first start as fast as the following
// ones by a bundle of the service with what is installed, and a compile cache that is filled by running it.
const root = join(import.meta.dirname, '..')
const folder = join(root, bundleFolder)
/** An installation ends, also where a process hangs. */
const maxMs = 60_000

try {
  const { buildWeb } = await import('./build-web.ts')
  await buildWeb()
} catch (error) {
  // Without the packages of development, what was built before stays.
  process.stderr.write(`The pages are not built: ${reasonOf(error)}\n`)
}
try {
  await makeBundle()
} catch (error) {
  // Without the packages of development, or on another platform, the sources run.
  process.stderr.write(`Starts will take longer, without a bundle: ${reasonOf(error)}\n`)
}
run(...nodeOptions(), join(import.meta.dirname, 'warm-service.ts'))
run(join(root, 'src/cli/main.ts'), '--help')

/** Under another name first, so that no process finds half of one. */
async function makeBundle(): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const { bundle, codeOf } = await import('./bundle.ts')
  const half = `${folder}-${process.pid}`
  try {
    const dist = join(half, 'dist')
    const inputs = await bundle(dist)
    const code = codeOf(dist, join(bundleFolder, 'dist'))
    cpSync(join(root, 'package.json'), join(half, 'package.json'))
    writeFileSync(join(half, inputsFile), JSON.stringify([...inputs, ...code]))
    renameSync(half, folder)
  } finally {
    rmSync(half, { recursive: true, force: true })
  }
}

/** V8 keeps compiled code for each set of options: these are the options of `npm start`. */
function nodeOptions(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return (
    String(scripts.start)
      .match(/ --\S+/g)
      ?.map((option) => option.trim()) ?? []
  )
}

/** Runs a program of this Node, without the environment: its settings are of another time. */
function run(...args: string[]): void {
  const env = {
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/gatehouse'),
    TMPDIR: process.env.TMPDIR,
  }
  spawnSync(process.execPath, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: maxMs,
  })
}
