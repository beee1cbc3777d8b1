// A database makes a difference: two nodes change one key, each in its transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createApiKeys } from '../../src/modules/api-keys/api-keys.ts'
import { bearerOf, newKey, serviceAccount } from '../api-keys.ts'
import { type Answer, type Headers, type TestApp, testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { testDatabase } from '../database.ts'
import { servicesOf } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'
import { until } from '../until.ts'
import { waitingForLocks } from '../waiting-locks.ts'

const me = (app: TestApp, headers: Headers) => app.call('GET', '/api/me', { headers })

suite('a key that two nodes change at once', async () => {
  const clock = fixedClock(new Date().toISOString())
  const one = await testApp({}, { clock })
  const two = await testApp({}, { directory: one.directory, clock })
  const admin = { headers: one.basic(one.admin) }
  const { who } = await serviceAccount(one, 'program', ['account:read'])
  const path = `/api/admin/accounts/${who.username}`
  const services = { ...one.deps, ...(await servicesOf(one)) }
  const made = () => newKey(one, who.username, { name: 'x', scopes: ['account:read'] })
  const rotate = (id: string): Promise<Answer> =>
    two.call('POST', `${path}/keys/${id}/rotate`, { ...admin, json: {} })

  for (const by of ['id', 'text'] as const) {
    test(`a revocation by its ${by} ends a key that is rotated meanwhile`, async () => {
      const { headers, id, key } = await made()
      let isRotated = false
      const apiKeys = createApiKeys({
        ...services,
        revocations: {
          ...services.revocations,
          async revoke(claims, options) {
            if (!isRotated) {
              isRotated = true
              assert.equal((await rotate(id)).status, 201)
              assert.equal((await me(two, headers)).status, 200)
            }
            return services.revocations.revoke(claims, options)
          },
        },
      })
      if (by === 'id') await apiKeys.revoke({ userId: who.userId, id }, { reason: 'owner' })
      else await apiKeys.revokeText(key)
      for (const node of [two, one]) assertRefusal(await me(node, headers), 401, 'Invalid token')
      const { body } = await one.call('GET', `${path}/keys`, admin)
      assert.ok(!body.some((row: { id: string }) => row.id === id))
    })
  }

  test('the end of everything ends the successor of a key that is rotated meanwhile', async () => {
    const { id } = await made()
    let ended: Promise<Answer> | undefined
    const apiKeys = createApiKeys({
      ...services,
      events: {
        ...services.events,
        async emitInTransaction(...given: Parameters<typeof services.events.emitInTransaction>) {
          ended ??= two.call('DELETE', `${path}/sessions`, admin)
          // On SQLite it waits for the end of this transaction, whatever it does.
          if (testDatabase === 'postgres') {
            await until(async () => (await waitingForLocks(one.deps.db)) > 0)
          }
          return services.events.emitInTransaction(...given)
        },
      } as typeof services.events,
    })
    const { text } = await apiKeys.rotate({ userId: who.userId, id }, 60, { by: null })
    assert.equal((await ended)?.status, 200)
    for (const node of [two, one]) {
      assertRefusal(await me(node, bearerOf(text)), 401, 'Invalid token')
    }
  })
})
