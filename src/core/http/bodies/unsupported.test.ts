import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { unsupportedBody } from './unsupported.ts'

const json = 'application/json'

suite('the content coding of a body', () => {
  for (const coding of ['identity', 'IDENTITY', 'identity, identity', '', ' ,']) {
    test(`"${coding}" is read`, () => {
      const headers = { 'content-length': '2', 'content-encoding': coding, 'content-type': json }
      assert.equal(unsupportedBody(headers), null)
    })
  }
  for (const coding of ['gzip', 'x-gzip', 'br', 'deflate', 'zstd', 'zz', 'identity, gzip', '*']) {
    test(`"${coding}" is not`, () => {
      for (const type of [json, 'text/plain', undefined]) {
        const headers = { 'transfer-encoding': 'chunked', 'content-encoding': coding }
        const typed = { ...headers, ...(type !== undefined && { 'content-type': type }) }
        assert.equal(unsupportedBody(typed), 'body_of_other_coding')
      }
    })
  }
  test('counts for nothing without a body', () => {
    for (const length of [{}, { 'content-length': '0' }]) {
      assert.equal(unsupportedBody({ ...length, 'content-encoding': 'gzip' }), null)
    }
  })
})

suite('the charset of a body', () => {
  const of = (type: string) => unsupportedBody({ 'content-length': '2', 'content-type': type })

  for (const parameters of [
    '',
    ';',
    '; charset=utf-8',
    ';charset=UTF-8',
    '; CharSet="utf-8"',
    '; charset=utf8',
    '; charset="US-ASCII"',
    '; charset="ut\\f-8"',
    '; charset=utf-8; charset=utf8',
    '; version="1;charset=utf-16"',
    '; boundary=x; charset=utf-8 ',
  ]) {
    test(`${json}${parameters} is read`, () => assert.equal(of(`${json}${parameters}`), null))
  }

  for (const parameters of [
    '; charset=utf-16',
    '; charset=latin1',
    '; charset=ISO-8859-1',
    '; CHARSET="UTF-16LE"',
    ';charset=utf-7;',
    '; charset=',
    '; charset=""',
    "; charset='utf-8'",
    '; charset="utf-8',
    '; charset=utf-8; charset=utf-16',
    '; charset=utf-16; charset=utf-8',
    '; x="a\\"b"; charset=utf-16',
  ]) {
    for (const type of [
      json,
      'application/x-www-form-urlencoded',
      ' Application/X-NDJSON',
      'text/csv',
    ]) {
      test(`${type}${parameters} is not`, () => {
        assert.equal(of(`${type}${parameters}`), 'body_of_other_charset')
      })
    }
  }

  test('of a type that is not read is not asked', () => {
    assert.equal(of('text/plain; charset=utf-16'), null)
  })

  test('a long header is read in no time', () => {
    for (const part of [';a="', ';a="\\"', ';charset="', '; \t', ';a=b', '"']) {
      const began = process.cpuUsage()
      of(json + part.repeat(16_000 / part.length))
      const { user, system } = process.cpuUsage(began)
      assert.ok(user + system < 100_000, `${part}: ${user + system} us`)
    }
  })
})
