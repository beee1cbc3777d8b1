import type { TestEvent } from 'node:test/reporters'

/** Ends the process at its first failure, or with all its tests. */
// biome-ignore lint/style/noDefaultExport: Node asks a reporter for it
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type } of events) {
    if (type === 'test:fail') process.exit(1)
    yield ''
  }
}
