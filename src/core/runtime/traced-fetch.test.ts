import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inContextOf, inNoContext } from '../events/context.ts'
import { parseTraceContext } from '../events/trace-context.ts'
import { tracedFetch } from './traced-fetch.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'
const context = {
  by: null,
  address: null,
  scheme: null,
  requestId: 'r',
  request: null,
}
const source = {
  eventContext: () => context,
  traceContext: () => parseTraceContext({ traceparent, tracestate: 'a=b' }),
}

suite('a request to another service, without an export', () => {
  const sent: { input: unknown; init: RequestInit | undefined }[] = []
  const fetch = tracedFetch({
    traces: null,
    fetch: async (input, init) => {
      sent.push({ input, init })
      return new Response()
    },
  })
  const url = 'https://api.example.org/range/ABCDE'
  const init = { headers: { 'Add-Padding': 'true', Traceparent: 'of another' }, method: 'POST' }

  test('keeps its own headers beside those of the trace', async () => {
    await inContextOf(source, () => fetch(url, init))
    const last = sent.at(-1)
    assert.deepEqual([last?.input, last?.init?.method], [url, 'POST'])
    assert.deepEqual(
      [...new Headers(last?.init?.headers)],
      [
        ['add-padding', 'true'],
        ['traceparent', traceparent],
        ['tracestate', 'a=b'],
      ],
    )
  })

  test('is sent as it is where no trace is known, and by work that several requests share', async () => {
    await fetch(url, init)
    assert.equal(sent.at(-1)?.init, init)
    await inContextOf(source, () => inNoContext(() => fetch(url)))
    assert.equal(sent.at(-1)?.init, undefined)
  })
})
