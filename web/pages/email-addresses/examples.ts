import type { EmailView, VerifyViews } from '../../../src/extras/email-addresses/pages/views.ts'
import { at, own } from '../own-account/examples.ts'
import type { ExamplesOf } from '../page.ts'

const address = 'ann@example.org'
const confirm = { action: '/verify?flow=example', csrf: 'token', address, username: 'ann' }

const email: EmailView = {
  ...own,
  email: 'ann@example.com',
  verifiedAt: at,
  isUndeliverable: false,
  pending: null,
  hasMail: true,
  typed: '',
}

export const examples: ExamplesOf<VerifyViews> = {
  'account-email': {
    verified: email,
    none: { ...email, email: null, verifiedAt: null },
    pending: {
      ...email,
      done: 'email_sent',
      pending: { address: 'ann@example.net', expiresAt: at + 3_600_000 },
    },
    'wrong code': {
      ...email,
      pending: { address: 'ann@example.net', expiresAt: at + 3_600_000 },
      problem: { code: 'mailed_code_wrong', field: 'code' },
    },
    'no address': { ...email, typed: 'ann', problem: { code: 'email_invalid', field: 'email' } },
    undeliverable: { ...email, isUndeliverable: true },
    'no mail': { ...email, hasMail: false },
  },
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
