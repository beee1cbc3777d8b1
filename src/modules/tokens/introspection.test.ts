import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { segment } from '../../../test/forge.ts'
import { parseAccessClaims } from './claims.ts'
import { introspect, isFor, payloadOf } from './introspection.ts'
import { principalOf } from './verified.ts'

const config = loadConfig({ TOKEN_ISSUER: 'https://issuer.example', TOKEN_AUDIENCE: 'ours' })
const at = 1_800_000_000
const small = {
  ...{ iss: 'https://issuer.example', sub: '7', aud: 'ours', exp: at + 60.5, iat: at + 0.5 },
  ...{ jti: 'a', type: 'access' },
}
const full = {
  ...small,
  ...{ aud: ['ours', 'theirs', 7], nbf: at + 0.5, username: 'ann', roles: ['USER'], ver: 3 },
  ...{ auth_time: at - 0.5, amr: ['pwd'], sid: 's', email: 'ann@example.org' },
  ...{ email_verified: true, scope: 'a b', client_id: 'c', name: 'Ann' },
}

interface Given {
  readonly audiences?: readonly string[]
  readonly isRevoked?: boolean
  readonly isKept?: boolean
  readonly isValid?: boolean
  /** In place of the token of the payload. */
  readonly text?: string
}

const tokenOf = (payload: unknown) => `${segment({})}.${segment(payload)}.c2ln`

/** Verifies every token of the service's claims, and notes the steps. */
async function ask(
  payload: object,
  { audiences = ['ours'], isRevoked = false, isKept = false, isValid = true, text }: Given = {},
) {
  const steps: string[] = []
  const claims = parseAccessClaims({ jti: 'its digest', ...payload }, config, at * 1000)
  assert.ok(claims)
  const verified = { claims, principal: principalOf(claims) }
  const deps = {
    keys: { refresh: async () => void steps.push('keys') },
    revocations: {
      refuses() {
        steps.push('revocations')
        return isRevoked
      },
    },
    tokens: {
      verifyAccess() {
        steps.push('unused verification')
        return null
      },
    },
    verified: {
      recall: () => (isKept ? verified : undefined),
      verify() {
        steps.push('verification')
        return isValid ? verified : null
      },
    },
  } as unknown as Parameters<typeof introspect>[0]
  const answer = await introspect(deps, text ?? tokenOf(payload), new Set(audiences))
  return { answer, steps }
}

suite('introspection', () => {
  test('an active token has the members of its claims, in whole seconds', async () => {
    const members = {
      ...{ active: true, token_type: 'Bearer', iss: 'https://issuer.example', sub: '7' },
      ...{ aud: 'ours', exp: at + 60, iat: at, jti: 'a' },
    }
    assert.deepEqual((await ask(small)).answer, members)
    assert.deepEqual((await ask(full)).answer, {
      ...{ ...members, aud: ['ours', 'theirs'], nbf: at, username: 'ann', scope: 'a b' },
      ...{ client_id: 'c', roles: ['USER'], auth_time: at - 1, amr: ['pwd'], sid: 's' },
      ...{ email: 'ann@example.org', email_verified: true },
    })
    const { jti: _, ...anonymous } = small
    const { jti: __, ...rest } = members
    assert.deepEqual((await ask(anonymous)).answer, rest, 'no id that the token does not have')
    const others = { ...full, aud: 'ours', scope: 7, client_id: ['c'], email_verified: 'yes' }
    const { answer } = await ask(others)
    assert.deepEqual(
      [answer?.aud, answer?.scope, answer?.client_id, answer?.email_verified],
      ['ours', undefined, undefined, undefined],
    )
  })

  test('a token is verified, and revoked or not, with the present keys', async () => {
    const kept = await ask(small, { isKept: true })
    assert.deepEqual([kept.answer?.active, kept.steps], [true, ['keys', 'revocations']])
    const fresh = await ask(small)
    assert.deepEqual(fresh.steps, ['keys', 'verification', 'revocations'])
    assert.equal((await ask(small, { isRevoked: true })).answer, null)
    const invalid = await ask(small, { isValid: false })
    assert.deepEqual([invalid.answer, invalid.steps], [null, ['keys', 'verification']])
  })

  test('a token of another audience takes the work of a forged token', async () => {
    const { answer, steps } = await ask(small, { audiences: ['theirs'] })
    assert.deepEqual([answer, steps], [null, ['unused verification']])
  })

  test('a text that is no JWS takes no work', async () => {
    for (const text of ['', 'a', 'a.b', 'a.b.c', `${tokenOf(small)}.a`, tokenOf([small])]) {
      assert.deepEqual(await ask(small, { text }), { answer: null, steps: [] }, text)
    }
  })

  test('a payload is the second of three segments, and a JSON object', () => {
    const body = segment({ a: 1 })
    assert.deepEqual(payloadOf(`x.${body}.y`), { a: 1 })
    for (const text of ['', body, `x.${body}`, `x.${body}.y.z`, `x.${segment([1])}.y`, 'x..y']) {
      assert.equal(payloadOf(text), null, text)
    }
  })

  test('an audience is one name or a list', () => {
    const ours = new Set(['ours', '7'])
    for (const aud of ['ours', ['ours'], ['a', 'ours']]) assert.equal(isFor({ aud }, ours), true)
    for (const aud of ['a', ['a'], [], 7, [7], undefined, null, [['ours']]]) {
      assert.equal(isFor({ aud }, ours), false, JSON.stringify(aud))
    }
  })
})
