import type { FederationViews } from '../../../src/modules/federation/views.ts'
import type { ExamplesOf } from '../page.ts'

export const examples: ExamplesOf<FederationViews> = {
  landing: {
    'signed in': { what: 'signed_in', path: '/account' },
    linked: { what: 'linked', path: '/account' },
    'signed out': { what: 'signed_out', path: 'https://id.example.org/session/end' },
    'came back': { what: 'came_back', path: '/oauth/callback?state=8hJ…&code=Sxl2…' },
    confirmed: { what: 'confirmed', path: '/account/confirm' },
  },
  'second-factor': {
    first: { problem: null },
    wrong: { problem: 'wrong' },
    missing: { problem: 'missing' },
  },
}
