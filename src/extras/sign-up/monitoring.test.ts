import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { waysOfRoutes } from '../../modules/accounts/monitoring.ts'
import { monitoring } from './monitoring.ts'

suite('accounts that were made', () => {
  test('count as of a sign-up or an invitation, by the route', () => {
    const ways = waysOfRoutes()
    monitoring.count?.({ of: () => ways } as never, {} as never) // what it calls
    assert.deepEqual(Object.fromEntries(ways), {
      ...{ '/api/admin/accounts': 'administrator', '/signup': 'sign_up' },
      ...{ '/api/public/sign-up': 'sign_up', '/api/public/sign-up/complete': 'sign_up' },
      ...{ '/api/public/invitation': 'invitation', '/invitation': 'invitation' },
    })
  })
})
