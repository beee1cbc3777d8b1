import assert from 'node:assert/strict'
import { request } from 'node:https'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { proxyPrograms } from '../proxies.ts'
import { listingsOf } from './listings.ts'

interface Proxied {
  readonly status: number | undefined
  readonly body: string
}

/** The listings of proxies, run by the proxies where these are installed. */
suite('docs/use-it.md, behind a proxy', async () => {
  const listings = listingsOf('docs/use-it.md')
  const app = await testApp({ TRUST_PROXY: '127.0.0.1', BASE_URL: 'https://auth.example.org' })
  const { port } = await app.listen()

  /** Sends a request from 127.0.0.2 through the proxy; a 127.0.0.1 would be a hop of its own. */
  function send(proxyPort: number, method: string, path: string, sent: object): Promise<Proxied> {
    return new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: proxyPort,
        localAddress: '127.0.0.2',
        servername: 'auth.example.org',
        rejectUnauthorized: false, // the proxy has the certificate of this test
        method,
        path,
        headers: { host: 'auth.example.org', ...sent },
      }
      const outgoing = request(options, (answer) => {
        let body = ''
        answer.on('data', (chunk) => {
          body += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode, body }))
      })
      outgoing.once('error', reject)
      outgoing.end()
    })
  }

  async function assertProxies(proxyPort: number): Promise<void> {
    const { cookie, 'x-csrf-token': csrf } = await app.session(app.admin)
    const forged = { 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.9' }
    const basic = app.basic(app.admin)
    const listed = await send(proxyPort, 'GET', '/users', { ...basic, ...forged })
    assert.deepEqual([listed.status, JSON.parse(listed.body).length], [200, 1])
    assert.equal((await send(proxyPort, 'GET', '/users', {})).status, 401)
    const transferred = await send(proxyPort, 'POST', '/api/transfer', {
      cookie,
      'x-csrf-token': csrf,
    })
    assert.equal(transferred.status, 200)
    const wrong = `Basic ${btoa('admin:a wrong one of the proxies')}`
    const refused = await send(proxyPort, 'GET', '/users', { authorization: wrong, ...forged })
    assert.equal(refused.status, 401)
    const failure = app.log.findLast(({ event }) => event === 'authn_login_fail')
    assert.equal(failure?.address, '127.0.0.2', 'the address is that of the client')
  }

  for (const proxy of proxyPrograms) {
    test(proxy.name, { skip: proxy.missing }, async () => {
      const places = { '127.0.0.1:3000': `127.0.0.1:${port}` }
      await assertProxies(await proxy.start(listings, { hosts: ['auth.example.org'], places }))
    })
  }
})
