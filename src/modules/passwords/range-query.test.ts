import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { observed, standingTime } from '../../../test/standing-time.ts'
import { until } from '../../../test/until.ts'
import type { Payload } from '../../core/events/types.ts'
import { systemClock } from '../../core/lib/clock.ts'
import { createLog } from '../../core/runtime/deps.ts'
import { eventsOf } from '../../core/runtime/sinks.ts'
import { breachQuery } from './range-query.ts'

const password = 'quiet melons roll uphill'
const digest = hash('sha1', password).toUpperCase()
const suffix = digest.slice(5)
const other = `${suffix.slice(0, -1)}${suffix.endsWith('0') ? '1' : '0'}`

suite('the service of breached passwords', async () => {
  let answer: RequestListener = (_request, response) => response.end()
  const asked: { url: string | undefined; padding: unknown; headers: string }[] = []
  const server = createServer((request, response) => {
    const { url, headers } = request
    asked.push({ url, padding: headers['add-padding'], headers: JSON.stringify(headers) })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  const url = `http://127.0.0.1:${port}/range`

  async function ask(breachUrl: string | undefined, text = password) {
    const failures: Payload[] = []
    const config = loadConfig({ ...(breachUrl && { PASSWORD_BREACH_URL: breachUrl }) })
    const events = eventsOf({
      clock: systemClock,
      log: createLog('silent'),
      sinks: { inside: [], afterCommit: [({ payload }) => void failures.push(payload)] },
    })
    return { found: await breachQuery({ config, events, fetch })(text), failures }
  }

  for (const [about, body, expected] of [
    ['its suffix', `${other}:3\r\n${suffix}:2`, true],
    ['its suffix in lower case, lines ended by LF', `${suffix.toLowerCase()}:10\n`, true],
    ['its suffix as padding', `${suffix}:0\r\n${other}:1`, false],
    ['other suffixes', `${other}:3`, false],
    ['nothing', '', false],
    ['no count', suffix, false],
    ['a page', '<html>', false],
  ] as const) {
    test(`answers ${about}: ${expected ? 'refused' : 'passes'}`, async (t) => {
      standingTime(t)
      answer = (_request, response) => response.end(body)
      assert.deepEqual(await ask(url), { found: expected, failures: [] })
    })
  }

  test('sees five hex digits and nothing else of the password', async () => {
    asked.length = 0
    await ask(`${url}/`)
    assert.deepEqual(
      asked.map(({ url: path, padding }) => [path, padding]),
      [[`/range/${digest.slice(0, 5)}`, 'true']],
    )
    assert.doesNotMatch(asked[0]?.headers ?? '', new RegExp(`melons|${suffix}`, 'i'))
  })

  test('is asked about the NFC form', async () => {
    asked.length = 0
    await ask(url, 'Brücke'.normalize('NFC'))
    await ask(url, 'Brücke'.normalize('NFD'))
    assert.equal(asked[0]?.url, asked[1]?.url)
  })

  const failing: Record<string, RequestListener> = {
    'answers 503': (_request, response) => response.writeHead(503).end(`${suffix}:1`),
    'answers 404': (_request, response) => response.writeHead(404).end(`${suffix}:1`),
    'sends elsewhere': (_request, response) =>
      response.writeHead(302, { location: `${url}/x` }).end(),
    'hangs up': (request) => request.socket.destroy(),
    'answers without end': (_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    },
  }
  const silent: Record<string, RequestListener> = {
    'does not answer': () => {},
    'stops half way': (_request, response) => void response.write(`${other}:1\r\n`),
  }
  for (const [about, listener] of Object.entries({ ...failing, ...silent })) {
    const isSilent = about in silent
    const when = isSilent ? 'after 1.5 seconds' : 'at once'
    test(`${about}: the password passes, ${when}, and an event is recorded`, async (t) => {
      const time = standingTime(t)
      answer = listener
      asked.length = 0
      const asking = observed(ask(url))
      await until(() => asked.length === 1)
      if (isSilent) {
        await time.pass(1499)
        assert.equal(asking.outcome, undefined)
        await time.pass(1)
      }
      await until(() => asking.outcome !== undefined)
      const { found, failures } = (await asking.outcome) ?? assert.fail()
      assert.equal(found, false)
      assert.equal(failures.length, 1)
      assert.doesNotMatch(JSON.stringify(failures), new RegExp(`melons|${digest.slice(0, 5)}`, 'i'))
      assert.equal(asked.length, 1) // a redirect is not followed
    })
  }

  test('is not asked without a setting', async () => {
    asked.length = 0
    assert.deepEqual(await ask(undefined), { found: false, failures: [] })
    assert.equal(asked.length, 0)
  })
})
