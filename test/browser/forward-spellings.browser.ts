import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, suite, test } from 'node:test'
import { startService } from '../../tools/service.ts'
import { startApplication } from '../forward/application.ts'
import { hosts, startProxy } from '../forward/proxied.ts'
import { forwardFile } from '../forward-file.ts'
import { spellingsOf } from '../forward-spellings.ts'
import { proxyPrograms } from '../proxies.ts'
import { exchange } from '../raw-http.ts'

const path = '/private/secret'
const lanes = 8
const password = 'seven lamps in a quiet harbour'
const basic = `Basic ${btoa(`admin:${password}`)}`
const rules = [
  { hosts: [hosts.wiki], paths: ['/private/*'], policy: 'deny' },
  { hosts: [hosts.wiki], policy: 'bypass' },
  { hosts: [hosts.files], paths: ['/public/*'], policy: 'bypass' },
  { hosts: [hosts.files], paths: ['/private/*'], roles: ['EDITOR'], policy: 'two_factor' },
  { hosts: [hosts.files], paths: ['/private/*'], policy: 'deny' },
  { hosts: [hosts.files], policy: 'one_factor' },
]

/** Not with the other tests: thousands of requests take their time. */
suite('1,000 spellings of a protected path, through the proxies', async () => {
  const application = await startApplication()
  const service = await startService([process.execPath, 'src/main.ts'], {
    ADMIN_PASSWORD: password,
    BASE_URL: `https://${hosts.gatehouse}`,
    FORWARD_AUTH_FILE: forwardFile(rules),
    TRUST_PROXY: '127.0.0.1',
  })
  // In place of Gatehouse, to record what the proxies tell of each request.
  const told = new Map<string, string>()
  const recorder = createServer(({ headers }, response) => {
    told.set(String(headers['x-number']), String(headers['x-forwarded-uri']))
    response.end()
  })
  await once(recorder.listen(0, '127.0.0.1'), 'listening')
  after(async () => {
    recorder.close()
    recorder.closeAllConnections()
    await service.stop()
    service.remove()
  })
  const gatehouse = Number(new URL(service.url).port)
  const recorderPort = (recorder.address() as AddressInfo).port // it listens on a port

  /** Sends each spelling with its number; answers the status of each, 0 for no answer. */
  async function sendAll(port: number, host: string, headers: readonly string[] = []) {
    const spellings = spellingsOf(path, { host })
    assert.ok(spellings.length >= 1000)
    const statuses: number[] = []
    let next = 0
    const lane = async () => {
      for (let at = next++; at < spellings.length; at = next++) {
        const lines = [`GET ${spellings[at]} HTTP/1.1`, `Host: ${host}`, `X-Number: ${at}`]
        const bytes = [...lines, 'Connection: close', ...headers, '\r\n'].join('\r\n')
        const { text } = await exchange(port, bytes, { tls: host })
        statuses[at] = Number(text.slice(9, 12))
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return { spellings, statuses }
  }

  for (const program of proxyPrograms) {
    suite(program.name, { skip: program.missing }, async () => {
      const port = program.missing
        ? 0
        : await startProxy(program, { gatehouse, application: application.port })

      for (const [about, host, headers] of [
        ['of a stranger, beside a rule that denies them', hosts.wiki, []],
        ['of an ADMIN, beside a rule that denies them', hosts.wiki, [`Authorization: ${basic}`]],
        ['of a stranger, beside an open path', hosts.files, []],
      ] as const) {
        test(`none reaches the application: ${about}`, async () => {
          application.forget()
          const { statuses } = await sendAll(port, host, headers)
          assert.deepEqual(
            application.seen.map(({ url }) => url),
            [],
          )
          // Gatehouse itself was asked about most of them: the proxy alone refuses a few.
          const refused = statuses.filter((status) => status === 403 || status === 401)
          assert.ok(refused.length > 700, `${refused.length} of ${statuses.length}`)
        })
      }

      test('and what is open does', async () => {
        application.forget()
        const plain = `GET /open HTTP/1.1\r\nHost: ${hosts.wiki}\r\nConnection: close\r\n\r\n`
        const { answers } = await exchange(port, plain, { tls: hosts.wiki })
        assert.equal(answers[0]?.status, 200)
        assert.equal(application.only().url, '/open')
      })

      test('what is asked about is what the application gets, to the byte', async () => {
        const recorded = { gatehouse: recorderPort, application: application.port }
        const beside = await startProxy(program, recorded)
        application.forget()
        told.clear()
        const { spellings } = await sendAll(beside, hosts.wiki)
        assert.ok(application.seen.length > 700, `${application.seen.length}`)
        for (const { url, headers } of application.seen) {
          const number = headers['x-number']?.[0] ?? ''
          assert.equal(told.get(number), url, JSON.stringify(spellings[Number(number)]))
        }
      })
    })
  }
})
