import type { SignUpProfileView, SignUpViews } from '../../../src/extras/sign-up/pages/views.ts'
import type { SignInViews } from '../../../src/modules/pages/sign-in/views.ts'
import type { ExamplesOf } from '../page.ts'
import { first } from '../sign-in/examples.ts'

const form = { action: '/signup?flow=f', csrf: 'c' } as const
const email = 'ann@example.org'
const address = { ...form, email: '', problem: null, retryAfterSeconds: null, isEnded: false }
const mailbox = {
  ...form,
  email,
  linkUntil: Date.UTC(2026, 2, 3, 9),
  resendSeconds: 60,
  problem: null,
  retryAfterSeconds: null,
  isResent: false,
}
const profile: SignUpProfileView = {
  ...form,
  email,
  username: '',
  name: '',
  inputs: [],
  minLength: 12,
  problems: {},
}

export const examples: ExamplesOf<SignUpViews & Pick<SignInViews, 'sign-in'>> = {
  'sign-in': { 'with a sign-up': { ...first, links: [{ name: 'signUp', href: '/signup' }] } },
  'sign-up': {
    first: address,
    'begun again': { ...address, isEnded: true },
    'no address': { ...address, email: 'ann', problem: 'form' },
    'refused domain': { ...address, email, problem: 'domain' },
    'too often': { ...address, email, problem: 'too_often', retryAfterSeconds: 1800 },
  },
  'sign-up-mailbox': {
    first: mailbox,
    'wrong code': { ...mailbox, resendSeconds: 0, problem: 'code' },
    'sent again': { ...mailbox, isResent: true },
    'too often': { ...mailbox, problem: 'too_often', retryAfterSeconds: 1800 },
  },
  'sign-up-profile': {
    first: profile,
    'all missing': {
      ...profile,
      problems: { username: 'missing', name: 'missing', password: { rule: 'missing' } },
    },
    'further fields': {
      ...profile,
      problems: { inputs: { profile_team: 'missing' } },
      inputs: [
        {
          ...{ name: 'profile_team', labels: { en: 'Team', de: 'Team' }, kind: 'text' },
          ...{ choices: [], isRequired: true, value: '', problem: 'missing' },
        },
      ],
    },
    taken: { ...profile, username: 'ann', name: 'Ann Example', problems: { username: 'taken' } },
    'mixed letters': {
      ...profile,
      username: 'аnn',
      name: 'Ann Example',
      problems: { username: 'scripts' },
    },
    'an address': {
      ...profile,
      username: 'boss@example.org',
      name: 'Ann Example',
      problems: { username: 'address' },
    },
    reserved: {
      ...profile,
      username: 'support',
      name: 'Ann Example',
      problems: { username: 'reserved' },
    },
    'weak password': {
      ...profile,
      username: 'ann',
      name: 'Ann Example',
      problems: { password: { rule: 'short', limit: 12 } },
    },
    'two passwords': {
      ...profile,
      username: 'ann',
      name: 'Ann Example',
      problems: { passwordAgain: 'differs' },
    },
  },
  'sign-up-closed': {
    off: { why: 'off' },
    invitation: { why: 'invitation' },
    'no mail': { why: 'mail' },
  },
  'sign-up-taken': { always: {} },
  'sign-up-dead-link': {
    always: { message: 'Invalid or expired code', requestId: 'h3Kq9Zp-12' },
  },
}
