import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { inspect } from 'node:util'
import { loadConfig } from '../../../test/config.ts'
import { ConfigError } from '../../core/config/load.ts'
import { auditSinkMistakes, parseAuditSink } from './audit-sinks.ts'

suite('the addresses of AUDIT_SINKS', () => {
  test('a file, and syslog over UDP, TCP and TLS with the ports of their standards', () => {
    const addresses = [
      'file:/var/log/a.jsonl',
      'syslog://h',
      'syslog+tcp://h',
      'syslog+tls://[::1]',
    ]
    assert.deepEqual(addresses.map(parseAuditSink), [
      { kind: 'file', name: 'file:/var/log/a.jsonl', path: '/var/log/a.jsonl' },
      { kind: 'udp', name: 'syslog://h:514', host: 'h', port: 514, tls: {} },
      { kind: 'tcp', name: 'syslog+tcp://h:601', host: 'h', port: 601, tls: {} },
      { kind: 'tls', name: 'syslog+tls://[::1]:6514', host: '::1', port: 6514, tls: {} },
    ])
    assert.equal(parseAuditSink('syslog://h:1514').name, 'syslog://h:1514')
    assert.deepEqual(parseAuditSink('file:///a//b'), parseAuditSink('file:/a/b'))
  })

  test('certificates of TLS are read; the private key shows nowhere', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    for (const name of ['ca', 'cert', 'key']) writeFileSync(join(folder, name), `PEM of ${name}`)
    const query = ['ca', 'cert', 'key'].map((name) => `${name}=${folder}/${name}`).join('&')
    const sink = parseAuditSink(`syslog+tls://h?${query}`)
    assert.ok(sink.kind === 'tls')
    assert.equal(sink.tls.ca, 'PEM of ca')
    assert.equal(sink.tls.key?.reveal(), 'PEM of key')
    assert.doesNotMatch(inspect(sink, { depth: 9 }) + JSON.stringify(sink), /PEM of key/)
  })

  test('a mistake is told in a sentence', () => {
    const mistakes: readonly (readonly [string, RegExp])[] = [
      ['file:relative', /which must name a file from the root: file:\/path$/],
      ['file:/folder/', /which names a folder and no file$/],
      ['udp://h', /whose kind udp: is none of `file:/],
      ['no address', /which is no address/],
      ['syslog:h', /which names no host/],
      ['syslog://', /which (?:names no host|is no address)/],
      ['syslog://user:word@h', /with a username or a password/],
      ['syslog://h/path', /with a path/],
      ['syslog://h#x', /with a fragment/],
      ['syslog://h:0', /whose port is 0/],
      ['syslog://h:99999', /which is no address/],
      ['syslog+tcp://h?ca=/x', /whose parameter ca is for syslog\+tls alone/],
      ['syslog+tls://h?verify=no', /whose parameter verify is none of ca, cert, key/],
      ['syslog+tls://h?ca=/nowhere', /whose file of ca cannot be read: \/nowhere/],
      [`syslog+tls://h?cert=${import.meta.filename}`, /both cert and key, or none/],
    ]
    for (const [address, expected] of mistakes) {
      assert.throws(() => parseAuditSink(address), expected, address)
    }
  })

  test('a list holds each sink once, and not the file that has checkpoints anyhow', () => {
    const sinks = ['syslog://h', 'syslog://h:514', 'file:/d/audit-checkpoints.jsonl']
    assert.deepEqual(auditSinkMistakes(sinks.map(parseAuditSink), '/d/audit-checkpoints.jsonl'), [
      'AUDIT_SINKS holds syslog://h:514 twice',
      'AUDIT_SINKS must not hold /d/audit-checkpoints.jsonl, to which checkpoints go in any case',
    ])
    assert.throws(
      () => loadConfig({ DATA_DIR: '/d', AUDIT_SINKS: 'file:/d/audit-checkpoints.jsonl' }),
      ConfigError,
    )
    assert.throws(() => loadConfig({ AUDIT_SINKS: 'ftp://h' }), /AUDIT_SINKS has ftp:\/\/h, whose/)
  })
})
