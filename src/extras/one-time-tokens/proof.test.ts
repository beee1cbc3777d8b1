import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Confirmation } from './confirmations.ts'
import { openProof, proofOf } from './proof.ts'
import { createConfirmationSecrets } from './secrets.ts'

suite('what proves a mailbox', () => {
  test('is a token, or an id and a code', () => {
    assert.deepEqual(proofOf({ token: 't' }), { token: 't' })
    assert.deepEqual(proofOf({ id: 'i', code: 'c' }), { id: 'i', code: 'c', flow: null })
    const both = { token: 't', id: 'i', code: 'c' }
    for (const sent of [
      ...[{}, both, { id: 'i' }, { code: 'c' }, { token: 't', id: 'i' }, { token: 't', code: 'c' }],
    ]) {
      assert.throws(() => proofOf(sent), {
        row: 'validationFailed',
        details: [
          {
            path: ['token'],
            message: 'is required, unless id and code are given',
            words: {
              en: 'is required, unless id and code are given',
              de: 'fehlt, wenn id und code nicht angegeben sind',
            },
          },
        ],
      })
    }
  })

  test('is opened as what it is', async () => {
    const confirmations = {
      openByToken: async (...of: unknown[]) => of as unknown as Confirmation,
      openByCode: async (...of: unknown[]) => of as unknown as Confirmation,
    }
    assert.deepEqual(await openProof(confirmations, { token: 't' }, ['reset']), ['t', ['reset']])
    const code = { id: 'i', code: 'c', flow: 'f' }
    assert.deepEqual(await openProof(confirmations, code, ['reset']), ['i', 'c', 'f', ['reset']])
  })
})

suite('secrets of confirmations', () => {
  const keys = { dataKey: Buffer.alloc(32, 1) }
  const secrets = createConfirmationSecrets(keys)
  const of = { id: 'i', purpose: 'reset', addressKey: 'ann@example.org', version: 1, nonce: 'n' }
  const changes = [
    { id: 'j' },
    { purpose: 'sign_in' },
    { addressKey: 'a' },
    { version: 2 },
    { nonce: 'm' },
  ]

  test('differ by all that they are bound to, and by the key', () => {
    const all = changes.map((change) => ({ ...of, ...change }))
    const links = [of, ...all].map((one) => secrets.link(one))
    assert.equal(new Set(links).size, 6)
    for (const link of links) assert.match(link, /^[A-Za-z0-9_-]{43}$/)
    const codes = [of, ...all].map((one) => secrets.code(one, 'f'))
    codes.push(secrets.code(of, null), secrets.code(of, 'g'))
    assert.equal(new Set(codes).size, 8)
    assert.deepEqual([secrets.link(of), secrets.code(of, null)], [links[0], secrets.code(of, '')])
    assert.notEqual(secrets.index('a'), secrets.index('b'))
    const before = [secrets.link(of), secrets.code(of, 'f'), secrets.index('a')]
    const mutable: { dataKey: Buffer } = keys
    mutable.dataKey = Buffer.alloc(32, 2)
    const after = [secrets.link(of), secrets.code(of, 'f'), secrets.index('a')]
    for (const [index, secret] of after.entries()) assert.notEqual(secret, before[index])
  })

  test('codes are eight digits, all of which occur in all places', () => {
    const codes = Array.from({ length: 1000 }, (_, id) => secrets.code({ ...of, id: `${id}` }, 'f'))
    for (const code of codes) assert.match(code, /^[0-9]{8}$/)
    for (let place = 0; place < 8; place += 1) {
      assert.equal(new Set(codes.map((code) => code[place])).size, 10, `${place}`)
    }
  })
})
