import type { VerifyViews } from '../../src/core/http/pages/views/verify.ts'
import type { ExamplesOf } from './types.ts'

const address = 'ann@example.org'
const confirm = { action: '/verify?flow=example', csrf: 'token', address, username: 'ann' }

export const verifyExamples: ExamplesOf<VerifyViews> = {
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
