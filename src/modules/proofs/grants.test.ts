import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { flowExpired } from '../flows/flows.ts'
import { type Confirming, createGrants } from './grants.ts'

suite('grants of proofs', () => {
  const clock = fixedClock()
  /** Grants whose flow ends so. */
  const grantsWith = (end: () => Promise<void>) =>
    createGrants({ clock, pageFlows: { end } } as unknown as Parameters<typeof createGrants>[0])
  const grant = { flow: { key: 'k', sealed: 's' }, kinds: [] }
  const use = (error?: Error) =>
    grantsWith(async () => {
      if (error) throw error
    }).use('trx' as never, grant)

  test('hold each proof for five minutes', () => {
    const now = clock.now()
    const proven = { password: now - 299_999, factor: now - 300_000, email: now }
    const data = { proven } as unknown as Confirming // what it reads
    const grants = grantsWith(async () => {})
    assert.deepEqual(grants.kindsOf({ data }), ['password', 'email'])
  })

  test('are used once; an error of the database is none of a used grant', async () => {
    assert.equal(await use(), true)
    assert.equal(await use(flowExpired('page_flow_moved_on')), false)
    await assert.rejects(use(new Error('of the database')), /of the database/)
    const other = new ApiError('accessDenied', { reason: { code: 'x-test' } })
    await assert.rejects(use(other), { row: 'accessDenied' })
  })
})
