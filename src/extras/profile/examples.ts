import { join } from 'node:path'
import { belowBothAccounts, type Examples } from '../../../test/example.ts'

const file = join(import.meta.dirname, '../../../test/profile.json')

export const settings = () => ({ PROFILE_FILE: file })

let values = 0
const newValue = () => `Value ${++values}`

export const examples: Examples = {
  getAccountProfile: { make: ({ owner }) => ({ params: { username: owner.username } }) },
  updateAccountProfile: {
    events: ['profile_changed'],
    make: ({ owner }) => ({
      params: { username: owner.username },
      json: { profile: { department: newValue() } },
    }),
  },
  getPublicProfile: {
    make: async ({ admin, app, owner }) => {
      const json = { profile: { motto: newValue() } }
      const path = `/api/admin/accounts/${owner.username}/profile`
      await app.call('PUT', path, { headers: admin, json })
      return { params: { id: owner.userId } }
    },
  },
  'GET /account/profile': {},
  'POST /account/profile': {
    ...{ bare: null, events: ['profile_changed'] },
    make: () => ({ form: { profile_motto: newValue() } }),
  },
  ...belowBothAccounts({
    getOwnProfile: {},
    changeOwnProfile: {
      events: ['profile_changed'],
      make: () => ({ json: { profile: { motto: newValue() } } }),
    },
  }),
}
