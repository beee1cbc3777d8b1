import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/** A reporter of Node's test runner: milliseconds of each test or suite of a file, a line each. */
// biome-ignore lint/style/noDefaultExport: Node loads reporters by it
export default async function* times(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting > 0 || !data.file) continue
    yield `${data.details.duration_ms}\t${relative(process.cwd(), data.file)}\n`
  }
}
