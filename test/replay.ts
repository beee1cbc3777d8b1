import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterwards } from './afterwards.ts'
import { folderOf } from './use-it/listings.ts'

const root = join(import.meta.dirname, '..')
const separator = '\x1e'

export interface Replay {
  /** The standard output of each command, without the white space around it. */
  readonly outputs: readonly string[]
  readonly errors: string
}

/**
 * Runs commands of a document in one bash, as if they were pasted, in the folder of this project. Each
 * address in `ports` is replaced by one with a free port. `npm install` asks no registry: it links
 * the packages of this project, and `npm ci` was run. What still runs at the end is killed.
 */
export async function replay(
  commands: readonly string[],
  ports: Readonly<Record<string, number>>,
  env: Readonly<Record<string, string>>,
): Promise<Replay> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  afterwards(() => rmSync(folder, { recursive: true, force: true }))
  const modules = join(folderOf(new Map()), 'node_modules')
  const prelude = `npm() {
    case "$1" in
      ci) ;;
      install) ln -s '${modules}' . ;;
      *) command npm "$@" ;;
    esac
  }`
  const script = [prelude, ...commands].join(`\nprintf '${separator}'\n`)
  const placed = Object.entries(ports).reduce(
    (text, [written, port]) => text.replaceAll(written, `127.0.0.1:${port}`),
    script,
  )
  const child = spawn('bash', ['-c', placed], {
    cwd: root,
    env: { ...process.env, TMPDIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of processes of its own
  })
  const group = -(child.pid ?? 0)
  const kill = () => {
    try {
      if (group < 0) process.kill(group, 'SIGKILL')
    } catch {} // all of them have ended
  }
  process.once('exit', kill)
  let [output, errors] = ['', '']
  child.stdout.on('data', (text) => {
    output += text
  })
  child.stderr.on('data', (text) => {
    errors += text
  })
  const closed = once(child, 'close')
  await once(child, 'exit')
  kill() // what still runs holds the output open
  await closed
  process.off('exit', kill)
  const outputs = output.split(separator).slice(1)
  return { outputs: outputs.map((text) => text.trim()), errors }
}
