import type { TestEvent } from 'node:test/reporters'

/**
 * A reporter for Node's runner: a line of JSON per file, with how many milliseconds its outermost tests
 * took. `tools/test.ts` shares out the files by what they took the last time.
 */
// biome-ignore lint/style/noDefaultExport: Node takes a reporter by its default export
export default async function* testTimes(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const times = new Map<string, number>()
  for await (const { type, data } of source) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting > 0) continue
    const { file = '' } = data
    times.set(file, (times.get(file) ?? 0) + data.details.duration_ms)
  }
  for (const [file, milliseconds] of times) yield `${JSON.stringify({ file, milliseconds })}\n`
}
