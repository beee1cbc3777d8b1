import { PassThrough, Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { main } from '../../src/cli/run.ts'
import type { Clock } from '../../src/core/lib/clock.ts'
import { modules as ours } from '../../src/modules.ts'
import { databaseSettings } from '../database.ts'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  /** What is piped into it. */
  readonly stdin?: string | Buffer | AsyncIterable<Buffer>
  /** What is typed at its terminal, line by line. */
  readonly typed?: readonly string[]
  readonly clock?: Clock
  /** 0 if no service of the test answers from memory what the command changes: it waits for nothing. */
  readonly unheardMs?: number
  /** Ends the command, as a signal of the operating system does. */
  readonly stop?: AbortSignal
  readonly modules?: typeof ours
}

/** Runs the command line in this process, as it would run in one of its own. */
export async function gatehouse(
  directory: string,
  words: string,
  { env = {}, stdin = '', typed, clock, unheardMs, stop, modules = ours }: Surroundings = {},
): Promise<Ran> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const [out, err] = [text(stdout), text(stderr)]
  const process = {
    stdin: typed ? terminal(typed) : piped(stdin),
    stdout,
    stderr,
    env: { NODE_ENV: 'test', ...(await databaseSettings(directory)), ...env },
    ...(clock && { clock }),
    ...(unheardMs !== undefined && { unheardMs }),
    ...(stop && { stop }),
  }
  const code = await main(wordsOf(words), process, modules)
  stdout.end()
  stderr.end()
  return { code, stdout: await out, stderr: await err }
}

/** Words between spaces; a piece in single quotes is one word. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? word)
}

function piped(given: string | Buffer | AsyncIterable<Buffer>): Readable {
  const isComplete = typeof given === 'string' || Buffer.isBuffer(given)
  return Readable.from(isComplete ? [Buffer.from(given)] : given)
}

function terminal(lines: readonly string[]): Readable & { isTTY: true } {
  const keys = new PassThrough()
  void (async () => {
    for (const line of lines) {
      keys.write(line)
      await setImmediate()
    }
  })()
  return Object.assign(keys, { isTTY: true as const })
}

async function text(stream: PassThrough): Promise<string> {
  let all = ''
  for await (const chunk of stream.setEncoding('utf8')) all += chunk
  return all
}
