import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

const runnerFrame = /\n\s+at .*(?:node:internal|node:async_hooks|tools\/test-process)[^\n{]*/g
const fileEnd = /^end of /

/** Prints a line for each file, and each failure once, without the frames of the runner. */
// biome-ignore lint/style/noDefaultExport: Node asks a reporter for it
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const database = process.env.TEST_DATABASE ?? 'both'
  const names: string[] = []
  let passed = 0
  let failures: string[] = []
  let startedAt = performance.now()
  let used = process.cpuUsage()
  for await (const { type, data } of events) {
    if (type === 'test:start') names.splice(data.nesting, names.length, data.name)
    else if (type === 'test:pass' && data.nesting === 0 && fileEnd.test(data.name)) {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      const failed = failures.length
      const count = failed > 0 ? `${failed} of ${passed + failed} tests failed` : `${passed} tests`
      const file = data.name.replace(fileEnd, '')
      const { user, system } = process.cpuUsage(used)
      const times = `${seconds} s, ${((user + system) / 1e6).toFixed(1)} s of CPU`
      yield `${failed > 0 ? '✖' : '✔'} ${database}, ${count}, ${times}: ${file}\n`
      process.send?.({ passed, failures })
      ;[passed, failures, startedAt, used] = [0, [], performance.now(), process.cpuUsage()]
    } else if (type === 'test:pass' && data.details.type !== 'suite') passed += 1
    else if (type === 'test:fail' && !isOfSubtests(data.details.error)) {
      const name = [...names.slice(0, data.nesting), data.name].join(' > ')
      const where = `${relative(process.cwd(), data.file ?? '')}:${data.line}`
      const text = inspect(data.details.error.cause ?? data.details.error)
      failures.push(`${database}, ${where}: ${name}`)
      yield `✖ ${failures.at(-1)}\n${text.replace(runnerFrame, '')}\n`
    } else if (type === 'test:diagnostic' && /^(Error|Warning)/.test(data.message)) {
      failures.push(`${database}: ${data.message}`)
      yield `✖ ${failures.at(-1)}\n`
    }
  }
}

function isOfSubtests(error: Error): boolean {
  return 'failureType' in error && error.failureType === 'subtestsFailed'
}
