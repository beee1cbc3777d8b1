import type { TestEvent } from 'node:test/reporters'
import { state } from './state.ts'

/** Notes failures before the other tests of the file begin, and the end of the file. */
// biome-ignore lint/style/noDefaultExport: Node asks a reporter for it
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:fail') state.isFailed = true
    else if (type === 'test:complete' && !data.details.passed) state.isFailed = true
    else if (type === 'test:diagnostic' && /^(Error|Warning)/.test(data.message)) {
      state.isFailed = true
    }
    if ((type === 'test:pass' || type === 'test:fail') && data.nesting === 0) {
      if (data.name === 'end of file') state.ended()
    }
    yield ''
  }
}
