import type { ResetViews } from '../../../src/extras/recovery/pages/views.ts'
import type { SignInViews } from '../../../src/modules/pages/sign-in/views.ts'
import type { ExamplesOf } from '../page.ts'
import { first, passkey } from '../sign-in/examples.ts'

const form = { action: '/reset?flow=example', csrf: 'token' }
const ask = { ...form, typed: '', problem: null, retryAfterSeconds: null, notice: null }
const mailbox = {
  ...form,
  typed: 'ann@example.org',
  linkUntil: Date.parse('2026-03-02T09:30:00Z'),
  resendSeconds: 45,
  problem: null,
  retryAfterSeconds: null,
  isResent: false,
}
const of = { ...form, username: 'ann', notice: null }
const factor = { ...of, kinds: ['totp'], passkey: null, problem: null, retryAfterSeconds: null }
const password = { ...of, minLength: 12, problem: null, differs: false, deletion: null } as const

export const examples: ExamplesOf<ResetViews & Pick<SignInViews, 'sign-in'>> = {
  'sign-in': { 'with a reset': { ...first, links: [{ name: 'reset', href: '/reset' }] } },
  reset: {
    first: ask,
    missing: { ...ask, problem: 'missing' },
    'of another form': { ...ask, typed: 'a:b', problem: 'form' },
    'asked too often': { ...ask, typed: 'ann', problem: 'too_often', retryAfterSeconds: 1800 },
    'dead link': { ...ask, notice: 'link' },
    ended: { ...ask, notice: 'ended' },
  },
  'reset-mailbox': {
    first: mailbox,
    'sent again': { ...mailbox, isResent: true, resendSeconds: 0 },
    'wrong code': { ...mailbox, problem: 'code' },
    'asked too often': { ...mailbox, problem: 'too_often', retryAfterSeconds: 1800 },
  },
  'reset-factor': {
    first: factor,
    wrong: { ...factor, problem: 'wrong' },
    missing: { ...factor, problem: 'missing' },
    'by a passkey': { ...factor, passkey, kinds: [] },
    'after the way back': { ...factor, notice: 'restored' },
    throttled: { ...factor, problem: 'throttled', retryAfterSeconds: 600 },
  },
  'reset-password': {
    first: password,
    'after the way back': { ...password, notice: 'restored' },
    short: { ...password, problem: { rule: 'short', limit: 12 } },
    common: { ...password, problem: { rule: 'known' } },
    different: { ...password, differs: true },
    'takes a deletion back': { ...password, deletion: 'with_password' },
    'takes a deletion back, without a password': { ...password, deletion: 'password_optional' },
  },
  'reset-done': {
    done: { username: 'ann', done: 'password' },
    'taken back': { username: 'ann', done: 'password_and_deletion' },
    'taken back alone': { username: 'ann', done: 'deletion' },
  },
  'reset-unavailable': { 'no mail': {} },
}
