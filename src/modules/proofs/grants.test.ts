import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { databaseWithAccounts } from '../../../test/stores.ts'
import { pageCookieName } from '../../core/config/cookie-names.ts'
import { ApiError } from '../../core/errors.ts'
import type { Account } from '../authentication/account.ts'
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

  test('of a change are those of the session and browser; the one with the most proofs counts', async () => {
    const now = clock.now()
    const flowOf = (key: string, proven: Confirming['proven'], sessionId = 's', userId = 1) => ({
      ...{ key, sealed: 'x', userId, data: { proven, sessionId } },
    })
    const found = async (flows: object[], credential: object, cookies = {}) => {
      const request = { principal: { credential }, ip: '::1', headers: { cookie: 'sent' } }
      const server = { parseCookie: () => ({ [pageCookieName]: 'a'.repeat(43), ...cookies }) }
      const grants = createGrants({
        clock,
        pageFlows: { ofStep: async () => flows },
        requirements: { unmet: () => null },
      } as unknown as Parameters<typeof createGrants>[0])
      const account = { userId: 1 } as unknown as Account
      const grant = await grants.of({ ...request, server } as never, account, 'email')
      return grant && [grant.flow.key, grant.kinds]
    }
    const session = { scheme: 'session', sessionId: 's' }
    const [one, both] = [{ factor: now }, { password: now, factor: now }]
    const flows = [
      flowOf('other session', both, 't'),
      flowOf('other account', both, 's', 2),
      flowOf('none', {}),
      flowOf('one', one),
      flowOf('both', both),
      flowOf('late', { password: now, factor: now - 300_000, email: now - 300_000 }),
    ]
    assert.deepEqual(await found(flows, session), ['both', ['password', 'factor']])
    assert.deepEqual(await found(flows.slice(0, 4), session), ['one', ['factor']])
    assert.equal(await found(flows.slice(0, 3), session), null)
    assert.equal(await found(flows, { scheme: 'basic' }), null)
    assert.equal(await found(flows, session, { [pageCookieName]: undefined }), null)
  })

  test('are collected by a flow of 15 minutes of the change, session and version of the account', async () => {
    const db = await databaseWithAccounts(1)
    const begun: unknown[] = []
    const grants = createGrants({
      ...{ clock, db },
      pageFlows: { begin: async (_trx: unknown, ...of: unknown[]) => void begun.push(of) },
    } as unknown as Parameters<typeof createGrants>[0])
    const account = { userId: 1, refreshVersion: 3 } as unknown as Account
    const browser = { cookie: 'c', address: '::1' }
    const form = { path: '/account/email', fields: { email: 'a@example.org' } }
    await grants.begin(account, { change: 'email', form, sessionId: 's' }, browser)
    const data = { change: 'email', sessionId: 's', refreshVersion: 3, form, proven: {} }
    const flow = { purpose: 'page_confirm', step: 'email', data, returnTo: '/account', userId: 1 }
    assert.deepEqual(begun, [[{ ...flow, seconds: 900 }, browser]])
  })

  test('in a flow are of its account alone, also for a browser without its session', async () => {
    const stored = { key: 'k', userId: 1, data: { sessionId: 's', proven: {} } }
    const found = async (
      userId: number,
      sessionId: string,
      { unmet = null as string | null, flow = stored as object | null } = {},
    ) => {
      const grants = createGrants({
        clock,
        pageFlows: { find: async () => flow },
        requirements: { unmet: () => unmet },
      } as unknown as Parameters<typeof createGrants>[0])
      const principal = { credential: { scheme: 'session', sessionId } }
      const request = { principal, ip: '::1', headers: {}, query: { flow: 'f' }, server: {} }
      const [sent, account] = [request as never, { userId } as unknown as Account]
      const flows = [await grants.find(sent, account)]
      flows.push(await grants.findReturning(sent, 'f', account))
      return flows.map((one) => one?.key)
    }
    assert.deepEqual(await found(1, 's'), ['k', 'k'])
    assert.deepEqual(await found(1, 'other'), [undefined, 'k'])
    assert.deepEqual(await found(2, 's'), [undefined, undefined])
    assert.deepEqual(await found(1, 's', { unmet: 'ended' }), [undefined, undefined])
    assert.deepEqual(await found(1, 's', { flow: null }), [undefined, undefined])
  })

  test('are used once; an error of the database is none of a used grant', async () => {
    assert.equal(await use(), true)
    assert.equal(await use(flowExpired('page_flow_moved_on')), false)
    await assert.rejects(use(new Error('of the database')), /of the database/)
    const other = new ApiError('accessDenied', { reason: { code: 'x-test' } })
    await assert.rejects(use(other), { row: 'accessDenied' })
  })
})
