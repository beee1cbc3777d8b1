import type { ForwardViews } from '../../src/core/http/pages/views/forward.ts'
import type { ExamplesOf } from './types.ts'

const denied = {
  username: 'ann',
  host: 'wiki.example.org',
  signOut: '/.gatehouse/signout',
  requestId: 'h3Kq9Zp-12',
}

export const forwardExamples: ExamplesOf<ForwardViews> = {
  'forward-denied': { 'signed in': denied, anyone: { ...denied, username: null } },
  'forward-refused-ticket': { refused: { begin: '/', requestId: 'h3Kq9Zp-12' } },
}
