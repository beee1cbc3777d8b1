import type { VerifyViews } from '../../../src/extras/email-addresses/pages/views.ts'
import type { ExamplesOf } from '../page.ts'

const address = 'ann@example.org'
const confirm = { action: '/verify?flow=example', csrf: 'token', address, username: 'ann' }

export const examples: ExamplesOf<VerifyViews> = {
  verify: {
    first: { ...confirm, what: 'verification' },
    change: { ...confirm, what: 'email_change' },
    'way back': { ...confirm, what: 'email_undo' },
  },
  'verify-done': {
    verified: { what: 'verified', address },
    changed: { what: 'changed', address },
    restored: { what: 'restored', address },
  },
  'verify-taken': { taken: { address } },
  'verify-no-link': { none: { isInvalid: false }, invalid: { isInvalid: true } },
}
