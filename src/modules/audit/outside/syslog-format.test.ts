import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Checkpoint } from '../checkpoint-form.ts'
import type { OutsideRecord } from './outside-record.ts'
import {
  checkpointMessage,
  escapedParam,
  jsonText,
  octetCounted,
  recordMessage,
  syslogSender,
} from './syslog-format.ts'

const sender = { hostname: 'auth1.example.org', processId: 4711 }
const record: OutsideRecord = {
  ...{ chain: 'c1', place: 7, number: 42, id: '01K', at: Date.UTC(2026, 10, 22, 13, 5, 7, 89) },
  ...{ type: 'authn_login_fail', level: 'warn', outcome: 'failure', reason: 'wrong_password' },
  ...{ request_id: 'r1', facts: { method: 'POST', route: '/login' } },
  ...{ actor: null, target: 't1', address: 'a1', mac: 'm1' },
}
const checkpoint: Checkpoint = {
  ...{ number: 3, at: Date.UTC(2026, 10, 22, 13, 5, 10), previous: 'p1' },
  ...{ heads: '[["c1",1,7,"m1",42]]', records: 7, key_id: 'k1', signature: 's1' },
}

suite('messages of syslog, RFC 5424', () => {
  test('a record is one line: its fields as structured data, the whole as JSON', () => {
    assert.equal(
      recordMessage(sender, record),
      '<108>1 2026-11-22T13:05:07.089Z auth1.example.org gatehouse 4711 authn_login_fail ' +
        '[gatehouse@32473 chain="c1" place="7" id="01K" outcome="failure" reason="wrong_password" ' +
        'request_id="r1" target="t1" address="a1" mac="m1"] ' +
        '{"record":{"chain":"c1","place":7,"number":42,"id":"01K","at":1795352707089,' +
        '"type":"authn_login_fail","level":"warn","outcome":"failure","reason":"wrong_password",' +
        '"request_id":"r1","facts":{"method":"POST","route":"/login"},"actor":null,"target":"t1",' +
        '"address":"a1","mac":"m1"}}',
    )
  })

  test('a checkpoint is a notice with its digest', () => {
    assert.equal(
      checkpointMessage(sender, checkpoint),
      '<109>1 2026-11-22T13:05:10.000Z auth1.example.org gatehouse 4711 checkpoint ' +
        '[gatehouse@32473 number="3" digest="Td1KBA_2o_zWjswGXbNB5IzgaU7Q1ny34-cr_VNQLbI" previous="p1" records="7" key_id="k1" ' +
        'signature="s1"] {"checkpoint":{"number":3,"at":1795352710000,"previous":"p1",' +
        '"heads":"[[\\"c1\\",1,7,\\"m1\\",42]]","records":7,"key_id":"k1","signature":"s1"}}',
    )
  })

  test('the level is the severity of the facility "log audit"', () => {
    const priorityOf = (level: OutsideRecord['level']) =>
      recordMessage(sender, { ...record, level }).slice(0, 5)
    assert.deepEqual((['critical', 'warn', 'info'] as const).map(priorityOf), [
      '<106>',
      '<108>',
      '<110>',
    ])
  })

  test('hostile bytes stay within their value', () => {
    const cases = [
      ['a"b\\c]d', 'a\\"b\\\\c\\]d'],
      ['line\nline\r\0', 'line\\\\u000aline\\\\u000d\\\\u0000'],
      ['\u001b[31m\u202e\u2028', '\\\\u001b[31m\\\\u202e\\\\u2028'],
      ['\ud800 ünï 😀', '\\\\ud800 ünï 😀'],
    ] as const
    for (const [value, escaped] of cases) assert.equal(escapedParam(value), escaped)
    const hostile = { ...record, request_id: '"] \n<0>1 - forged', type: 'a b\nc' }
    const message = recordMessage(sender, hostile)
    assert.doesNotMatch(message, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    assert.match(message, / a_b_c \[gatehouse@32473 .* request_id="\\"\\] \\\\u000a<0>1 - forged" /)
  })

  test('JSON is in ASCII', () => {
    assert.equal(jsonText({ a: 'ü\u2028😀' }), '{"a":"\\u00fc\\u2028\\ud83d\\ude00"}')
    assert.deepEqual(JSON.parse(jsonText({ a: 'ü\u2028😀' })), { a: 'ü\u2028😀' })
  })

  test('a message that is too long for a datagram loses its JSON first, then its longest fields', () => {
    const short = recordMessage(sender, record, 300)
    assert.match(short, / mac="m1" truncated="true"\]$/)
    const long = recordMessage(sender, { ...record, reason: 'x'.repeat(5000) }, 2048)
    assert.ok(Buffer.byteLength(long) <= 2048)
    assert.match(long, /id="01K" outcome="failure" request_id="r1" .* truncated="true"\]$/)
    const heads = 'h'.repeat(5000)
    const covered = checkpointMessage(sender, { ...checkpoint, heads }, 2048)
    assert.match(covered, /number="3" digest="[\w-]{43}" previous="p1" .* signature="s1" truncated/)
  })

  test('a frame begins with the octets of its message, not with its characters', () => {
    assert.equal(octetCounted('aü'), '3 aü')
  })

  test('a host name has only characters that RFC 5424 allows', () => {
    assert.deepEqual(syslogSender('a b\nc', 1), { hostname: 'a_b_c', processId: 1 })
    assert.equal(syslogSender('', 1).hostname, '-')
    assert.equal(syslogSender('x'.repeat(300), 1).hostname.length, 255)
  })
})
