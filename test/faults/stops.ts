import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { preloaded } from './preload.ts'

/** Code that calls `now()` when a start has come so far, in the process that does it. */
export const momentsOfStart = {
  'its database is opened': `
    const { exec } = DatabaseSync.prototype
    DatabaseSync.prototype.exec = function (...given) { now(); return exec.apply(this, given) }`,
  'it asks for its port': `
    const { listen } = Server.prototype
    Server.prototype.listen = function (...given) { now(); return listen.apply(this, given) }`,
  'it has its port': `
    const { listen } = Server.prototype
    Server.prototype.listen = function (...given) {
      this.once('listening', now)
      return listen.apply(this, given)
    }`,
  'the first account is made': `
    const { prepare } = DatabaseSync.prototype
    DatabaseSync.prototype.prepare = function (sql) {
      if (sql.startsWith('insert into "accounts"')) now()
      return prepare.call(this, sql)
    }`,
}

export interface StoppedStart {
  readonly code: number | null
  readonly signal: string | null
  /** Whether the moment has come. */
  readonly isReached: boolean
  /** All that was written but lines of the log below a warning. */
  readonly complaints: readonly string[]
}

const mark = 'the moment has come'

/**
 * A start on an empty folder that gets SIGTERM at a moment, by `momentsOfStart`: sent from inside the
 * service, so that it comes then on every machine. Resolves when all its processes have ended.
 */
export async function stoppedStart(
  moment: string,
  env: Record<string, string> = {},
): Promise<StoppedStart> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-stop-'))
  const code = `
    import cluster from 'node:cluster'
    import { writeSync } from 'node:fs'
    import { Server } from 'node:net'
    import { DatabaseSync } from 'node:sqlite'
    let isOver = process.env.WORKERS !== '1' && cluster.isPrimary // which listens for its workers
    function now() {
      if (isOver) return
      isOver = true
      writeSync(2, '${mark}\\n')
      process.kill(cluster.isWorker ? process.ppid : process.pid, 'SIGTERM')
    }
    ${moment}`
  const child = spawn(process.execPath, [...preloaded(code), 'src/main.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH ?? '', PORT: '0', NODE_ENV: 'test', DATA_DIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      output += part
    })
  }
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const [exitCode, signal] = await once(child, 'close')
  process.off('exit', kill)
  rmSync(folder, { recursive: true })
  const lines = output.split('\n').filter(Boolean)
  return {
    code: exitCode,
    signal,
    isReached: lines.includes(mark),
    complaints: lines.filter((line) => line !== mark && !/^{"level":"(?:info|warn)",/.test(line)),
  }
}
