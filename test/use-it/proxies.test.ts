import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { freePort } from '../../tools/free-port.ts'
import { testApp } from '../app.ts'
import { selfSigned } from '../self-signed.ts'
import { folderOf, listingsOf, missing, programOf, startProgram } from './listings.ts'

interface Proxied {
  readonly status: number | undefined
  readonly body: string
}

/** The listings of proxies, run by the proxies where these are installed. */
suite('docs/use-it.md, behind a proxy', async () => {
  const listings = listingsOf('docs/use-it.md')
  const folder = folderOf(new Map())
  const app = await testApp({ TRUST_PROXY: '127.0.0.1', BASE_URL: 'https://auth.example.org' })
  const { port } = await app.listen()
  const certificate = selfSigned()
  writeFileSync(join(folder, 'cert.pem'), certificate.cert)
  writeFileSync(join(folder, 'key.pem'), certificate.key)

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

  const nginx = programOf('nginx')
  test('nginx', { skip: missing([nginx, '-v'], 'nginx') }, async () => {
    const own = await freePort()
    const server = (listings.get('nginx.conf') ?? '')
      .replace('listen 443 ssl', `listen 127.0.0.1:${own} ssl`)
      .replace('/etc/ssl/auth.example.org.pem', join(folder, 'cert.pem'))
      .replace('/etc/ssl/auth.example.org.key', join(folder, 'key.pem'))
      .replace('127.0.0.1:3000', `127.0.0.1:${port}`)
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const paths = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};\n`).join('')
    const file = join(folder, 'main.conf')
    writeFileSync(
      file,
      `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr;
       events {}
       http { access_log off; ${paths} ${server} }`,
    )
    await startProgram([nginx, '-p', folder, '-c', file], { folder, env: {}, ports: [own] })
    await assertProxies(own)
  })

  const caddy = programOf('caddy')
  test('Caddy', { skip: missing([caddy, 'version'], 'caddy') }, async () => {
    const own = await freePort()
    const file = join(folder, 'Caddyfile')
    const certificates = `${join(folder, 'cert.pem')} ${join(folder, 'key.pem')}`
    const site = (listings.get('Caddyfile') ?? '')
      .replace('auth.example.org {', `auth.example.org:${own} {\n\ttls ${certificates}`)
      .replace('127.0.0.1:3000', `127.0.0.1:${port}`)
    // A certificate of its own, it makes only after it listens: handshakes fail until then.
    const global = 'admin off\n\tauto_https disable_redirects\n\tskip_install_trust'
    writeFileSync(file, `{\n\t${global}\n}\n${site}`)
    const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    const command = [caddy, 'run', '--adapter', 'caddyfile', '--config', file]
    await startProgram(command, { folder, env, ports: [own] })
    await assertProxies(own)
  })
})
