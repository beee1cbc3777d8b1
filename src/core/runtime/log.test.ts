import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createLog } from './deps.ts'

suite('the log', () => {
  function logged(fields: object, message?: string): Record<string, unknown> {
    const lines: string[] = []
    const destination = { write: (line: string) => void lines.push(line) }
    const log = createLog('info', { destination, secretFields: ['x-proof'] })
    log.child({ token: 'of the child', inner: { secret: 'of the child' } }).info(fields, message)
    const { time, ...line } = JSON.parse(lines.join(''))
    assert.match(time, /^\d{4}-.*Z$/)
    return line
  }
  const ofChild = { level: 'info', token: '[redacted]', inner: { secret: '[redacted]' } }

  test('redacts secret fields of a line and of the objects in it, whatever they hold', () => {
    for (const secret of ['text', 7, true, ['text'], { text: 7 }]) {
      const fields = { password: secret, cookie: secret, 'x-proof': secret, user_id: 7 }
      const redacted = { password: '[redacted]', cookie: '[redacted]', 'x-proof': '[redacted]' }
      assert.deepEqual(logged(fields), { ...ofChild, ...redacted, user_id: 7 })
      const line = logged({ request: fields, list: [fields].map(({ password }) => ({ password })) })
      assert.deepEqual(line.request, { ...redacted, user_id: 7 })
    }
  })

  test('writes other values as they are', () => {
    const text = 'a "quoted" \\ text\nwith \u2028 and \ud800 '
    const fields = { text, number: 1.5, none: null, yes: true, no: false, list: [1, 'a'] }
    const line = logged({ ...fields, infinite: Number.POSITIVE_INFINITY, gone: undefined }, text)
    assert.deepEqual(line, { ...ofChild, ...fields, infinite: null, msg: text })
  })

  test('takes no text for a format', () => {
    const text = '%s %d %i %f %j %o %O %c %% {}'
    assert.deepEqual(logged({ user_id: 7, text }, text), {
      ...ofChild,
      user_id: 7,
      text,
      msg: text,
    })
  })
})
