import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseUserAgent } from './user-agent.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const known: readonly (readonly [string, string | null, string | null])[] = [
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox', 'Linux'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36`,
    'Chrome',
    'Windows',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
    'Edge',
    'Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
    'Safari',
    'macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
    'Safari',
    'iOS',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 FxiOS/140.0 Mobile/15E148 Safari/604.1',
    'Firefox',
    'iPadOS',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet',
    'Android',
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/142.0.0.0 Safari/537.36`,
    'Chrome',
    'ChromeOS',
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/142.0.0.0 Safari/537.36 OPR/120.0`,
    'Opera',
    'Linux',
  ],
  ['curl/8.14.1', 'curl', null],
  ['lightMyRequest', null, null],
  ['', null, null],
]

suite('the device of a User-Agent', () => {
  for (const [header, browser, system] of known) {
    test(`${browser ?? 'unknown'} on ${system ?? 'unknown'}: ${header.slice(0, 40)}`, () => {
      assert.deepEqual(parseUserAgent(header), { browser, system })
    })
  }

  test('no header is no device', () => {
    assert.deepEqual(parseUserAgent(null), { browser: null, system: null })
  })

  test('holds no text of the header, and reads its beginning alone', () => {
    const hostile = '<b>Firefox/1</b>\r\nBcc: evil@example.com'
    assert.deepEqual(parseUserAgent(hostile), { browser: 'Firefox', system: null })
    assert.deepEqual(parseUserAgent(`${'('.repeat(256)}Firefox/1`), { browser: null, system: null })
  })
})
