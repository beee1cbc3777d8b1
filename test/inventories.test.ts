import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gapsOf, inventory, rowsOf, sourceFiles } from './inventory.ts'

suite('docs/cryptography.md', () => {
  const sources =
    /(?:from |import\()'(?:node:crypto|jose|altcha-lib[^']*|@node-rs\/[^']*)'|crypto\.subtle/
  const files = sourceFiles(sources, '{src,web,packages}')
  const rows = inventory('docs/cryptography.md', 'Algorithms')

  test('has a row for each file that uses cryptography, and no other', () => {
    assert.ok(files.length > 30, `${files.length}`)
    assert.deepEqual(gapsOf(rows, files), [])
  })

  // How the document calls what the code names.
  const names: Readonly<Record<string, string>> = {
    md5: 'MD5',
    sha1: 'SHA-1',
    sha256: 'SHA-256',
    'aes-256-gcm': 'AES-256-GCM',
    'aes-256-ctr': 'AES-256-CTR',
    EdDSA: 'Ed25519',
    pbkdf2: 'PBKDF2',
  }
  const named =
    /'(md5|sha\d+|SHA-\d+|aes-[\w-]+|P-256)'|\b((?:RS|PS|ES|HS)\d{3}|EdDSA|Ed25519|scrypt|pbkdf2)\b/g

  test('names the algorithms of each file in its row', () => {
    const missing = files.flatMap(({ path, text }) => {
      const known = rowsOf(rows, path)
        .map((row) => row.text)
        .join()
      const used = [...text.matchAll(named)].map(([, literal, word = '']) => literal ?? word)
      return [...new Set(used)]
        .map((name) => names[name] ?? name)
        .filter((name) => !known.includes(name))
        .map((name) => `${path}: ${name}`)
    })
    assert.deepEqual(missing, [])
  })
})

suite('docs/deploy.md', () => {
  test('has a row for all code that connects to other services', () => {
    const connects =
      /[^.\w]fetch\(|guardedRequest\(|createSocket\(|connectTls\(|smtp-connection'\)|new pg\.|exporter-trace-otlp-http'|import\('node:tls'\)|import \* as https/
    const common = /^src\/core\/(?:outbound\/|runtime\/traced-fetch\.ts)/
    const inBrowser = /\/browser\//
    const files = sourceFiles(connects).filter(
      ({ path }) => !common.test(path) && !inBrowser.test(path),
    )
    assert.deepEqual(
      gapsOf(inventory('docs/deploy.md', 'Connections to other services'), files),
      [],
    )
  })

  test('has a row for all code that writes a log', () => {
    const writes =
      /pino\.destination|process\.std(?:out|err)\.write|writeSync\(|O_APPEND|createSocket\(|OTLPTraceExporter/
    assert.deepEqual(gapsOf(inventory('docs/deploy.md', 'Logs'), sourceFiles(writes)), [])
  })

  test('a file without a row, and a row without a file, are found', () => {
    const rows = [{ text: 'x', paths: ['src/gone.ts', 'src/core/'] }]
    const files = ['src/core/a.ts', 'src/b.ts'].map((path) => ({ path, text: '' }))
    assert.deepEqual(gapsOf(rows, files), ['src/b.ts has no row', 'src/gone.ts is idle'])
  })
})
