import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedHeaders } from './signature.ts'

suite('the signature of a message', () => {
  // Of the reference implementations of the specification.
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  }
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='

  test('is that of the reference', () => {
    assert.deepEqual(signedHeaders(message, [secret]), {
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    })
  })

  test('stands beside that of the secret before', () => {
    const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const [first, second, ...more] = (
      signedHeaders(message, [other, secret])['webhook-signature'] ?? ''
    ).split(' ')
    assert.match(first ?? '', /^v1,[A-Za-z0-9+/]{43}=$/)
    assert.notEqual(first, signature)
    assert.deepEqual([second, more], [signature, []])
  })

  test('covers id, time and body', () => {
    const others = [
      { ...message, id: 'msg' },
      { ...message, timestamp: 1_614_265_331 },
      { ...message, body: '{"test":2432232314}' },
    ]
    for (const other of others) {
      assert.notEqual(signedHeaders(other, [secret])['webhook-signature'], signature)
    }
  })
})
