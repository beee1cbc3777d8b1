import { registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

/**
 * A process of `npm test`: reads the names of files, one a line, and runs the tests of each. Its output
 * about a file ends with a NUL and a line of JSON, its counts. No test may read standard input.
 */
const root = join(import.meta.dirname, '..')
const runner = new URL('./test-runner.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' && context.parentURL !== runner
      ? { url: runner, shortCircuit: true }
      : next(specifier, context),
})

const { finish, run } = await import('./test-runner.ts')
for await (const file of createInterface({ input: process.stdin })) {
  const { counts, failures } = await run(() => import(resolve(root, file)))
  for (const failure of failures) process.stdout.write(`${failure}\n`)
  process.stdout.write(`\0${JSON.stringify(counts)}\n`)
}
const { failures } = await finish()
for (const failure of failures) process.stdout.write(`${failure}\n`)
process.exit(failures.length > 0 ? 1 : 0)
