import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { freePort } from '../../tools/free-port.ts'
import { admin } from './node.ts'
import { waitUntil } from './waiting.ts'
import { databases, startWorkers, type WorkersNode } from './workers.ts'

interface Scrape {
  readonly text: string
  /** The value of one series; NaN without it. */
  value(series: string): number
}

async function scrape(port: number): Promise<Scrape> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  assert.equal(answer.status, 200)
  const text = await answer.text()
  return {
    text,
    value: (series) => {
      const line = text.split('\n').find((one) => one.startsWith(`${series} `))
      return Number(line?.slice(series.length + 1) ?? Number.NaN)
    },
  }
}

for (const database of databases) {
  suite(`metrics of several workers, ${database}`, async () => {
    const port = await freePort()
    let starting: Promise<WorkersNode> | undefined
    const place = () => {
      starting ??= startWorkers({ database, env: { METRICS_ADDRESS: `127.0.0.1:${port}` } })
      return starting
    }
    after(async () => await (await starting)?.remove())

    test('one port answers for all: the requests of each worker are summed', async () => {
      const { atEach, call, lines } = await place()
      await atEach('GET', '/api/public/status')
      const series =
        'gatehouse_http_requests_total{route="/api/public/status",method="GET",status="200"}'
      const before = (await scrape(port)).value(series)
      for (let round = 0; round < 20; round += 1) await call('GET', '/api/public/status')
      const after = await scrape(port)
      assert.equal(after.value(series) - before, 20)
      assert.equal(after.value('gatehouse_workers'), 2)
      for (const worker of [0, 1]) {
        assert.ok(after.value(`process_resident_memory_bytes{worker="${worker}"}`) > 1e7)
        assert.ok(after.value(`gatehouse_database_connections_max{worker="${worker}"}`) >= 1)
      }
      assert.equal(lines('msg', 'the metrics have a port of their own').length, 1)
    })

    test('a login at any worker counts, and its session is counted once', async () => {
      const { call } = await place()
      const before = await scrape(port)
      for (let round = 0; round < 4; round += 1) {
        const { status } = await call('POST', '/login', { form: { ...admin, mode: 'session' } })
        assert.equal(status, 200)
      }
      const after = await scrape(port)
      const logins = 'gatehouse_logins_total{method="password",result="success",reason="none"}'
      for (const series of [
        logins,
        'gatehouse_sessions_live',
        'gatehouse_sessions_started_total',
      ]) {
        assert.equal(after.value(series) - before.value(series), 4, series)
      }
    })

    test('a worker that is busy is left out of a scrape, and goes on', async () => {
      const { call, pids } = await place()
      await call('GET', '/api/public/status')
      const before = await scrape(port)
      const [, second = 0] = pids()
      process.kill(second, 'SIGSTOP')
      try {
        for (let round = 0; round < 3; round += 1) {
          const during = await scrape(port)
          const { value } = during
          assert.deepEqual([value('gatehouse_workers'), value('gatehouse_workers_silent')], [1, 1])
          assert.doesNotMatch(during.text, /process_resident_memory_bytes\{worker="1"\}/)
          const answered =
            'gatehouse_http_requests_total{route="/api/public/status",method="GET",status="200"}'
          assert.equal(value(answered), before.value(answered))
        }
      } finally {
        process.kill(second, 'SIGCONT')
      }
      await waitUntil(
        'both workers',
        async () => (await scrape(port)).value('gatehouse_workers') === 2,
      )
      assert.equal(pids()[1], second)
    })

    test('when the first worker is killed, the one in its place listens again', async () => {
      const { pids } = await place()
      const first = pids()[0] ?? 0
      process.kill(first, 'SIGKILL')
      await waitUntil('another first worker', async () => {
        const answer = await scrape(port).catch(() => null)
        return answer?.value('gatehouse_workers') === 2 && !pids().includes(first)
      })
    })
  })
}
