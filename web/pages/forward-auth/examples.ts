import type { ForwardViews } from '../../../src/extras/forward-auth/views.ts'
import type { ExamplesOf } from '../page.ts'

const denied = {
  username: 'ann',
  host: 'wiki.example.org',
  signOut: '/.gatehouse/signout',
  requestId: 'h3Kq9Zp-12',
}

export const examples: ExamplesOf<ForwardViews> = {
  'forward-denied': { 'signed in': denied, anyone: { ...denied, username: null } },
  'forward-refused-ticket': { refused: { begin: '/', requestId: 'h3Kq9Zp-12' } },
}
