import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { freePort } from '../../tools/free-port.ts'
import { certificate } from '../self-signed.ts'
import { deployment, examined, host, missingProxy, production, proxied } from './deployment.ts'

/** An operator who was alarmed for nothing reads no second report. */
suite('doctor finds nothing wrong with a good deployment', () => {
  for (const name of ['nginx', 'Caddy'] as const) {
    test(`behind ${name}`, { skip: missingProxy(name) }, async () => {
      const behind = await deployment(production)
      const { code, report, stderr } = await examined(behind, await proxied(behind, name))
      assert.deepEqual([code, report.findings], [0, []], stderr)
      assert.equal(report.url, `https://${host}`)
    })
  }

  test('behind nginx, with own pages of another origin and public keys', {
    skip: missingProxy('nginx'),
  }, async () => {
    const env = {
      ...production,
      CORS_ORIGINS: 'https://app.example.org',
      SESSION_COOKIE_NAME: '__Host-JSESSIONID', // no sibling host can set it
      TOKEN_ALGORITHM: 'RS256',
      METRICS_ADDRESS: '127.0.0.1:0',
    }
    const behind = await deployment(env)
    const { code, report } = await examined(behind, await proxied(behind, 'nginx'))
    assert.deepEqual([code, report.findings], [0, []])
  })

  test('with its own certificate', async () => {
    const { cert, key } = certificate({ commonName: host, hosts: [host], isAuthority: true })
    const env = { ...production, TRUST_PROXY: 'none' }
    const { app, file } = await deployment(env)
    const files = { TLS_CERT_FILE: file('cert.pem', cert), TLS_KEY_FILE: file('key.pem', key) }
    const own = await deployment({ ...env, ...files }, { directory: app.directory })
    const words = `--connect 127.0.0.1:${own.port} --ca ${files.TLS_CERT_FILE}`
    const { code, report } = await examined(own, words)
    assert.deepEqual([code, report.findings], [0, []])
  })

  test('on loopback, for development: advice alone', async () => {
    const port = await freePort()
    const own = await deployment({ NODE_ENV: 'development', PORT: String(port) }, {}, port)
    const { code, report } = await examined(own, '')
    const found = report.findings.map(({ check, level }) => `${level} ${check}`)
    assert.deepEqual([code, found], [0, ['info environment']])
  })

  test('under one origin with an application', { skip: missingProxy('nginx') }, async () => {
    const own = ['/login', '/logout', '/refresh', '/oauth/', '/.well-known/', '/api/']
    const change = (text: string) => {
      const [, location = ''] = /location \/ \{\n(.*?)\n *\}/s.exec(text) ?? []
      const application = `location / {
        gzip on; gzip_min_length 1; add_header Set-Cookie "theme=dark"; default_type text/html;
        return 200 "<p>An application</p>";
      }`
      const locations = own.map((path) => `location ${path} {\n${location}\n}`).join('\n')
      return text.replace(/location \/ \{.*?\n *\}/s, `${application}\n${locations}`)
    }
    const behind = await deployment(production)
    const { code, report } = await examined(behind, await proxied(behind, 'nginx', { change }))
    assert.deepEqual([code, report.findings], [0, []])
  })

  test('whose limit of requests is low: what was not checked is told as such', {
    skip: missingProxy('nginx'),
  }, async () => {
    const behind = await deployment({ ...production, RATE_LIMIT_MAX: '12' })
    const words = await proxied(behind, 'nginx')
    const { code, found } = await examined(behind, words)
    assert.equal(code, 0)
    assert.ok(found.length > 0)
    assert.ok(
      found.every((one) => one.startsWith('unknown ')),
      found.join(),
    )
    assert.equal((await examined(behind, `--strict ${words}`)).code, 1)
  })

  test('without its database: which address counts is unknown, and never good', {
    skip: missingProxy('nginx'),
  }, async () => {
    const behind = await deployment(production)
    const words = `--outside https://${host} ${await proxied(behind, 'nginx')}`
    const { code, found } = await examined(behind, words)
    assert.deepEqual([code, found], [0, ['unknown client_address']])
    const left = await examined(behind, `${words} --except client_address --strict`)
    assert.deepEqual([left.code, left.found], [0, []])
  })

  test('that is older than a week and makes no backups by itself: advice', async () => {
    const own = await deployment(production)
    const monthAgo = Date.now() - 30 * 86_400_000
    await own.app.deps.db.updateTable('schema_version').set({ applied_at: monthAgo }).execute()
    const { code, report } = await examined(own, '--inside --strict')
    const found = report.findings.map(({ check, level }) => `${level} ${check}`)
    assert.deepEqual([code, found], [0, ['info backup_none']])
  })
})
