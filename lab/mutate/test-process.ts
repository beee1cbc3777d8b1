import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector'
import { registerHooks } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { importTest } from '../../tools/test-scopes.ts'
import { hasMutantName, instrumented } from './instrumented.ts'
import { mutantsOf } from './mutants.ts'
import { state } from './state.ts'

/**
 * A process that runs test files, each as often as it is asked, with one mutant or none. The mutants
 * of all files of `MUTATED` (a JSON list of paths) are in the modules that it loads.
 */
export interface RunRequest {
  readonly file: string
  /** -1 for none. */
  readonly mutant: number
  readonly isMeasured: boolean
}

export interface RunResult {
  readonly isPassed: boolean
  readonly isReached: boolean
  readonly cpuMs: number
  readonly rss: number
  /** If asked for. */
  readonly lines: RunLines
}

/** By path, how often a line of src ran: pairs of the line, from 1, and the count. */
export type RunLines = Readonly<Record<string, readonly (readonly [number, number])[]>>

const root = join(import.meta.dirname, '../..')
Object.assign(globalThis, {
  [hasMutantName](id: number) {
    if (id !== state.mutant) return false
    state.isReached = true
    return true
  },
})
const sources = sourcesWithMutants(JSON.parse(process.env.MUTATED ?? '[]'))
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const source = sources.get(url)
    return source === undefined ? loaded : { ...loaded, source }
  },
})
const test = await importTest()
const { beforeEach } = await import('node:test')
beforeEach(() => {
  if (state.isFailed) throw new Error('another test has failed')
})
process.once('disconnect', () => process.exit())
const session = process.env.MUTATED === undefined ? profilerSession() : undefined
let runs = 0
for (;;) {
  process.send?.('ready')
  const [asked] = (await once(process, 'message')) as [RunRequest]
  process.send?.(await answer(asked))
}

async function answer({ file, mutant, isMeasured }: RunRequest): Promise<RunResult> {
  runs += 1
  Object.assign(state, { mutant, isReached: false, isFailed: false })
  const ended = new Promise<void>((done) => Object.assign(state, { ended: done }))
  const used = process.cpuUsage()
  await import(`${pathToFileURL(resolve(file))}?run=${runs}`).catch(() => {
    state.isFailed = true
  })
  void test('end of file', () => {})
  await ended
  const { user, system } = process.cpuUsage(used)
  state.mutant = -1
  return {
    isPassed: !state.isFailed,
    isReached: state.isReached,
    cpuMs: Math.round((user + system) / 1000),
    rss: process.memoryUsage.rss(),
    lines: isMeasured && session ? await linesSince(session) : {},
  }
}

/** By URL. */
function sourcesWithMutants(paths: readonly string[]): Map<string, string> {
  let firstId = 0
  return new Map(
    paths.map((path) => {
      const file = join(root, path)
      const source = readFileSync(file, 'utf8')
      const mutants = mutantsOf(source)
      const text = instrumented(source, mutants, firstId)
      firstId += mutants.length
      return [pathToFileURL(file).href, text]
    }),
  )
}

function profilerSession(): Session {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return session
}

/** What ran since the last call. */
async function linesSince(session: Session): Promise<RunLines> {
  const taken = await new Promise<Profiler.TakePreciseCoverageReturnType>((done, fail) =>
    session.post('Profiler.takePreciseCoverage', (error, result) =>
      error ? fail(error) : done(result),
    ),
  )
  return Object.fromEntries(
    taken.result.flatMap((script) => {
      const path = script.url.startsWith('file:') ? relative(root, fileURLToPath(script.url)) : ''
      const isOfService = path.startsWith('src/') && !path.includes('.test.ts')
      const lines = isOfService ? linesOf(script) : []
      return lines.length > 0 ? [[path, lines]] : []
    }),
  )
}

/** Types are blanked, not removed: the offsets of code that ran are offsets of the source. */
function linesOf({ url, functions }: Profiler.ScriptCoverage): [number, number][] {
  const source = readFileSync(fileURLToPath(url), 'utf8')
  const counts = new Uint32Array(source.length)
  for (const { ranges } of functions) {
    // An inner range comes after the range that holds it.
    for (const { startOffset, endOffset, count } of ranges) {
      counts.fill(count, startOffset, endOffset)
    }
  }
  let start = 0
  return source.split('\n').flatMap((text, index) => {
    const count = Math.max(0, ...counts.subarray(start, start + text.length))
    start += text.length + 1
    return count > 0 && text.trim() !== '' ? [[index + 1, count] as [number, number]] : []
  })
}
