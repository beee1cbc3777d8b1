import { AsyncLocalStorage } from 'node:async_hooks'
import { mock, type TestContext } from 'node:test'
import { inspect } from 'node:util'

/**
 * As much of `node:test` as the tests use, which tools/test-worker.ts puts in its place. Node's own
 * follows every promise and every resource by async hooks, to tell whose error it is that nothing
 * catches: a fifth of the work of all tests. Here an `AsyncLocalStorage` tells whose a hook is, and
 * such an error fails what runs. No tests that mock anything may run at the same time.
 */
type Work = (context: TestContext) => Promise<unknown> | unknown
type Kind = 'after' | 'beforeEach' | 'afterEach'
interface Options {
  readonly concurrency?: boolean
  readonly skip?: boolean | string
}
type Definition = [work: Work] | [options: Options, work: Work]

interface Scope {
  readonly names: readonly string[]
  readonly parent: Scope | undefined
  readonly isSuite: boolean
  readonly options: Options
  readonly work: Work
  readonly children: Scope[]
  readonly hooks: Record<Kind, Work[]>
  /** Resolves once a suite has named its tests. */
  named: Promise<unknown>
}

export interface Outcome {
  readonly counts: Record<(typeof countNames)[number], number>
  /** What to print of those that failed. */
  readonly failures: string[]
}

export const countNames = ['tests', 'suites', 'pass', 'fail', 'skipped'] as const
const timeoutMs = 60_000
const { clearTimeout, setTimeout } = globalThis // as they are without the mocks of a test

const scopes = new AsyncLocalStorage<Scope>()
const root = scopeOf('', true, [() => {}])
/** Ends those that run because of an error that nothing caught. */
const running = new Set<(error: unknown) => void>()

for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error: unknown) => {
    if (running.size === 0) throw error
    for (const fail of running) fail(error)
  })
}

export function test(name: string, ...definition: Definition): void {
  const scope = scopeOf(name, false, definition)
  if (!scope.parent?.isSuite) throw new Error(`${name} begins within a test`)
  scope.parent.children.push(scope)
}

export function suite(name: string, ...definition: Definition): void {
  const scope = scopeOf(name, true, definition)
  scope.parent?.children.push(scope)
  if (scope.options.skip) return
  scope.named = scopes.run(scope, async () => scope.work({} as TestContext)) // no suite asks for it
  scope.named.catch(() => {}) // told when it is run
}

export const after = hook('after')
export const beforeEach = hook('beforeEach')
export const afterEach = hook('afterEach')

/** Of the suite or test that asks for it; at the head of a module, of all files from then on. */
function hook(kind: Kind): (work: Work) => void {
  return (work) => void (scopes.getStore() ?? root).hooks[kind].push(work)
}

function scopeOf(name: string, isSuite: boolean, definition: Definition): Scope {
  const parent = name === '' ? undefined : (scopes.getStore() ?? root)
  const [options, work] = definition.length === 2 ? definition : [{}, definition[0]]
  return {
    names: parent ? [...parent.names, name] : [],
    parent,
    isSuite,
    options,
    work,
    children: [],
    hooks: { after: [], beforeEach: [], afterEach: [] },
    named: Promise.resolve(),
  }
}

/** Imports what defines tests, and runs them. */
export async function run(load: () => Promise<unknown>): Promise<Outcome> {
  const counts = { tests: 0, suites: 0, pass: 0, fail: 0, skipped: 0 }
  const outcome: Outcome = { counts, failures: [] }
  await told(outcome, root, load)
  for (const child of root.children.splice(0)) await runScope(child, outcome)
  return outcome
}

/** After the last file. */
export async function finish(): Promise<Outcome> {
  return run(() => runAll(root.hooks.after.splice(0)))
}

async function runScope(scope: Scope, outcome: Outcome): Promise<void> {
  const { counts } = outcome
  counts[scope.isSuite ? 'suites' : 'tests'] += 1
  if (scope.options.skip) counts.skipped += scope.isSuite ? 0 : 1
  else if (scope.isSuite) await runSuite(scope, outcome)
  else await runTest(scope, outcome)
}

async function runSuite(scope: Scope, outcome: Outcome): Promise<void> {
  const isNamed = await told(outcome, scope, () => scope.named)
  const each = (child: Scope) => runScope(child, outcome)
  if (isNamed && scope.options.concurrency) await Promise.all(scope.children.map(each))
  else if (isNamed) for (const child of scope.children) await each(child)
  await told(outcome, scope, () => scopes.run(scope, () => runAll(scope.hooks.after)))
}

async function runTest(scope: Scope, outcome: Outcome): Promise<void> {
  const { counts } = outcome
  let skipped = false
  const context = {
    name: scope.names.at(-1) ?? '',
    passed: false,
    mock,
    skip: () => {
      skipped = true
    },
    after: (work: Work) => void scope.hooks.after.push(work),
  }
  const given = context as unknown as TestContext // as much of it as the tests use
  const around = lineage(scope)
  const passed = await told(outcome, scope, async () => {
    for (const { hooks } of around) await runAll(hooks.beforeEach, given)
    await scope.work(given)
    context.passed = true
  })
  const ended = await told(outcome, scope, async () => {
    for (const { hooks } of around.toReversed()) await runAll(hooks.afterEach, given)
    await runAll(scope.hooks.after, given)
  })
  mock.reset()
  if (!passed || !ended) counts.fail += 1
  else counts[skipped ? 'skipped' : 'pass'] += 1
}

/** The suites around a test, the outermost first. */
function lineage(scope: Scope): Scope[] {
  return scope.parent ? [...lineage(scope.parent), scope.parent] : []
}

async function runAll(works: readonly Work[], context = {} as TestContext): Promise<void> {
  for (const work of works) await work(context)
}

/** Whether the work was done in time; else its error is told. */
async function told(outcome: Outcome, scope: Scope, work: () => unknown): Promise<boolean> {
  const startedAt = performance.now()
  const { promise, reject } = Promise.withResolvers<never>()
  const late = () => reject(new Error(`it takes longer than ${timeoutMs} ms`))
  const timer = setTimeout(late, timeoutMs)
  running.add(reject)
  try {
    await Promise.race([scopes.run(scope, async () => work()), promise])
    return true
  } catch (error) {
    if (scope.isSuite) outcome.counts.fail += 1
    const ms = Math.round(performance.now() - startedAt)
    const text = `✖ ${scope.names.join(' > ')} (${ms} ms)\n${inspect(error)}`
    outcome.failures.push(text.replaceAll('\n', '\n  '))
    return false
  } finally {
    clearTimeout(timer)
    running.delete(reject)
  }
}
