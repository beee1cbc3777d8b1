import { type Examples, present } from '../../../test/example.ts'
import { appPassword } from '../../modules/api-keys/examples.ts'

export const examples: Examples = {
  'GET /account/app-passwords': {},
  'POST /account/app-passwords/create': {
    ...{ needs: 'fresh', bare: 400, events: ['api_key_created'] },
    make: (_, caller) => ({ form: { name: 'calendar', ...present(caller) } }),
  },
  'POST /account/app-passwords/revoke': {
    ...{ needs: 'fresh', bare: 404, events: ['api_key_revoked'] },
    make: async (world, caller) => ({ form: { key: (await appPassword(world, caller)).id } }),
  },
}
