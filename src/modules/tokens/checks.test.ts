import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Found } from '../../core/checks/check.ts'
import type { OfflineContext } from '../../core/checks/context.ts'
import { checks } from './checks.ts'

const base = 'https://auth.example'

function found(issuer: string): readonly Found[] {
  const [check] = checks.offline ?? []
  const config = { baseUrl: base, token: { issuer } }
  return check?.find({ config } as unknown as OfflineContext) as readonly Found[]
}

test('the issuer of tokens is BASE_URL, letter by letter', () => {
  assert.deepEqual(found(base), [])
  for (const [issuer, isSpelling] of [
    [`${base}/`, true],
    ['HTTPS://AUTH.example', true],
    [`${base}:443`, true],
    [`${base}/path`, false],
    ['https://other.example', false],
    ['https://other.example/', false],
    ['http://auth.example', false],
    ['gatehouse', false],
  ] as const) {
    const [{ what, mend } = {}, ...more] = found(issuer)
    const words = isSpelling
      ? `TOKEN_ISSUER is ${issuer}, and BASE_URL ${base}: the same place, spelled in two ways.`
      : `TOKEN_ISSUER is ${issuer}, and callers use ${base}.`
    assert.deepEqual([what?.en, more], [words, []])
    assert.deepEqual(mend, { setting: `TOKEN_ISSUER=${base}` })
  }
})
