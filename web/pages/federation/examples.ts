import type { FederationViews } from '../../../src/modules/federation/views.ts'
import type { ExamplesOf } from '../page.ts'

export const examples: ExamplesOf<FederationViews> = {
  landing: {
    'signed in': { what: 'signed_in', path: '/account' },
    linked: { what: 'linked', path: '/account' },
    'signed out': { what: 'signed_out', path: 'https://id.example.org/session/end' },
    confirmed: { what: 'confirmed', path: '/account/confirm' },
  },
  'second-factor': {
    first: { problem: null },
    wrong: { problem: 'wrong' },
    missing: { problem: 'missing' },
  },
}
