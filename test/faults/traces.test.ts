import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startCollector } from '../collector.ts'
import { isReady, startNode } from './node.ts'

suite('traces of real processes', () => {
  test('each worker exports its own at a stop, and callers may send what they like', async () => {
    const collector = await startCollector()
    const env = { WORKERS: '2', OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }
    const node = await startNode({ env })
    try {
      for (let sent = 0; sent < 20; sent += 1) {
        await fetch(`${node.service.url}/api/me`, {
          headers: { traceparent: sent % 2 ? '00-hostile-01' : 'x'.repeat(8000) },
        })
      }
      assert.equal(await node.stop(), 0)
      const requests = collector.spans.filter(({ name }) => name === 'GET /api/me')
      assert.equal(requests.length, 20)
      assert.equal(new Set(requests.map(({ traceId }) => traceId)).size, 20)
      for (const { parentSpanId } of requests) assert.equal(parentSpanId, undefined)
      const workers = requests.map(({ resource }) => resource['gatehouse.worker'])
      assert.deepEqual([...new Set(workers)].sort(), [0, 1])
      const instances = requests.map(({ resource }) => resource['service.instance.id'])
      assert.equal(new Set(instances).size, 2)
    } finally {
      await node.remove()
    }
  })

  test('a collector that never answers holds neither a request nor a stop', async () => {
    const collector = await startCollector()
    collector.instead = () => {}
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, TRACES_PER_SECOND: '0' }
    const node = await startNode({ env })
    try {
      for (let sent = 0; sent < 600; sent += 1) {
        assert.equal((await node.caller.call('GET', '/api/me')).status, 401)
      }
      assert.equal(collector.bodies.length, 1, 'one batch is under way')
      assert.ok(await isReady(node))
      assert.equal(await node.stop(), 0)
    } finally {
      await node.remove()
    }
  })
})
