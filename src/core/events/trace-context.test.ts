import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { suite, test } from 'node:test'
import { parseTraceContext, traceHeaders } from './trace-context.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'
const valid = `00-${trace}-${span}-01`
const read = (traceparent: string, tracestate?: string) =>
  parseTraceContext({ traceparent, ...(tracestate !== undefined && { tracestate }) })

suite('traceparent', () => {
  test('names the trace, the span and whether it is sampled', () => {
    const context = { traceId: trace, spanId: span, state: null }
    assert.deepEqual(read(valid), { ...context, isSampled: true })
    assert.deepEqual(read(`00-${trace}-${span}-00`), { ...context, isSampled: false })
    assert.equal(parseTraceContext({}), null)
  })

  test('of flags that are not known, sampled alone counts and is handed on', () => {
    for (const [flags, told] of [
      ['ff', '01'],
      ['03', '01'],
      ['fe', '00'],
    ]) {
      const context = read(`00-${trace}-${span}-${flags}`)
      assert.ok(context)
      assert.deepEqual(traceHeaders(context), { traceparent: `00-${trace}-${span}-${told}` })
    }
  })

  test('of a later version is read as far as it is known, and handed on as version 00', () => {
    for (const text of [`01-${trace}-${span}-01`, `cc-${trace}-${span}-01-what the future holds`]) {
      const context = read(text)
      assert.ok(context, text)
      assert.deepEqual(traceHeaders(context), { traceparent: valid })
    }
  })

  for (const [about, text] of [
    ['empty', ''],
    ['too short', valid.slice(0, -1)],
    ['too long', `${valid}0`],
    ['with more fields than version 00 has', `${valid}-01`],
    ['of version ff', `ff${valid.slice(2)}`],
    ['with a trace of zeros', `00-${'0'.repeat(32)}-${span}-01`],
    ['with a span of zeros', `00-${trace}-${'0'.repeat(16)}-01`],
    ['in capital letters', valid.toUpperCase()],
    ['with what is no hex digit', valid.replace('4b', '4g')],
    ['with no hex digit among the flags', `00-${trace}-${span}-0x`],
    ['doubled, as Node joins it', `${valid}, ${valid}`],
    ['of a later version and doubled', `01${valid.slice(2)}, 01${valid.slice(2)}`],
    ['huge', `01${valid.slice(2)}-${'a'.repeat(10_000)}`],
    ['with spaces around it', ` ${valid} `],
    ['with a line break', `${valid}\n`],
    ['with a NUL', `01${valid.slice(2)}-\0`],
  ] as const) {
    test(`${about} is ignored, with its tracestate`, () => {
      assert.equal(read(text, 'a=b'), null)
    })
  }

  test('as a list of fields is ignored', () => {
    assert.equal(
      parseTraceContext({ traceparent: [valid] } as unknown as IncomingHttpHeaders),
      null,
    )
  })
})

suite('tracestate', () => {
  const members = (count: number) => Array.from({ length: count }, (_, at) => `k${at}=v`).join(',')

  for (const text of [
    'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    'tenant@system=a b c',
    ' a=1 ,\tb=2,, c=3',
    members(32),
    `a=${'x'.repeat(256)}`,
  ]) {
    test(`${text.slice(0, 40)} is handed on unchanged`, () => {
      const context = read(valid, text)
      assert.ok(context)
      assert.deepEqual(traceHeaders(context), { traceparent: valid, tracestate: text })
    })
  }

  for (const [about, text] of [
    ['empty', ''],
    ['without a value', 'a='],
    ['without a key', '=b'],
    ['with a key in capital letters', 'A=b'],
    ['with a key twice', 'a=1,b=2,a=3'],
    ['with two equals signs', 'a=b=c'],
    ['with 33 members', members(33)],
    ['with a value that is too long', `a=${'x'.repeat(257)}`],
    ['longer than 512 characters', `a=${'x'.repeat(255)},b=${'x'.repeat(255)}`],
    ['with a control character', 'a=b\x01'],
    ['with an umlaut', 'a=\xfc'],
    ['with a space that is none of HTTP', 'a=b,\xa0c=d'],
  ] as const) {
    test(`${about} is left out, and the trace stays`, () => {
      const context = read(valid, text)
      assert.ok(context)
      assert.deepEqual(traceHeaders(context), { traceparent: valid })
    })
  }
})
