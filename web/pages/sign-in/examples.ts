import type {
  SignInForm,
  SignInView,
  SignInViews,
} from '../../../src/modules/pages/sign-in/views.ts'
import type { ExamplesOf } from '../page.ts'

export const form: SignInForm = {
  action: '/signin?flow=wK3n0V8sQxA2mJ6uT4yB1cZ7fH5pLrD9eGiNoSvXaMk',
  csrf: 'q5Wc1oJ4mN0b7Yt2xR9dEg',
  begin: '/signin?return_to=%2Faccount',
  retryAfterSeconds: null,
}
export const first: SignInView = {
  ...form,
  username: '',
  isAgain: false,
  problem: null,
  hasCaptcha: false,
  keepDays: 30,
  isKeepChosen: false,
  passkey: null,
  providers: [],
  links: [],
}
const factor = { ...form, kinds: ['totp'], passkey: null } as const
export const passkey = {
  challenge: 'AZt6Zw8ABx-5lDqlVh0wZ2F0ZWhvdXNlLWV4YW1wbGU',
  ...{ rpId: 'id.example.org', timeout: 300_000, allowCredentials: [] },
  userVerification: 'required',
} as const
const creation = {
  challenge: passkey.challenge,
  rp: { id: passkey.rpId, name: 'Gatehouse' },
  user: { id: 'c29tZWJvZHk', name: 'ann', displayName: 'Ann Example' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  attestation: 'none',
} as const
const throttled = { ...form, problem: 'throttled', retryAfterSeconds: 840 } as const
const device = { rememberDays: 30, isRememberChosen: false } as const
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const qr =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 3"><path fill="white" d="M0,0h3v3h-3z"/><path fill="black" d="M0,0h1v1h-1zM2,1h1v1h-1z"/></svg>'
export const examples: ExamplesOf<SignInViews> = {
  'sign-in': {
    first,
    'by a passkey': { ...first, passkey },
    'refused passkey': { ...first, passkey, problem: 'passkey' },
    'by a provider': { ...first, providers: [{ href: '/oauth/acme/login', label: 'acme' }] },
    wrong: { ...first, username: 'ann', problem: 'wrong' },
    missing: { ...first, problem: 'missing' },
    captcha: { ...first, username: 'ann', problem: 'captcha', hasCaptcha: true },
    throttled: { ...first, ...throttled, username: 'ann' },
    ended: { ...first, problem: 'ended' },
    again: { ...first, username: 'ann', isAgain: true, keepDays: null },
    'kept and wrong': { ...first, username: 'ann', problem: 'wrong', isKeepChosen: true },
  },
  'sign-in-arrival': { first: { path: '/' } },
  'sign-in-second-factor': {
    first: { ...factor, ...device, problem: null },
    wrong: { ...factor, ...device, isRememberChosen: true, problem: 'wrong' },
    missing: { ...factor, ...device, problem: 'missing' },
    'not remembered': { ...factor, ...device, rememberDays: null, problem: null },
    throttled: { ...factor, ...device, ...throttled },
    'by a passkey': { ...factor, ...device, passkey, kinds: [], problem: null },
    'refused passkey': { ...factor, ...device, passkey, problem: 'passkey' },
  },
  'sign-in-new-password': {
    first: { ...form, username: 'ann', minLength: 12, problem: null },
    short: { ...form, username: 'ann', minLength: 12, problem: { rule: 'short', limit: 12 } },
    differs: { ...form, username: 'ann', minLength: 12, problem: 'differs' },
  },
  'sign-in-enrolment': {
    first: { ...form, secret, qr, passkey: null, problem: null },
    wrong: { ...form, secret, qr, passkey: null, problem: 'wrong' },
    'by a passkey': { ...form, secret, qr, passkey: creation, problem: null },
    'refused passkey': { ...form, secret, qr, passkey: creation, problem: 'passkey' },
  },
  'sign-in-recovery-codes': {
    first: { ...form, codes: ['KQ7M-3XHD-HT2W-5RNA', 'P6DV-ZLCE-2MYB-T4QJ'] },
  },
  'sign-out': {
    first: {
      form: { action: '/signout', csrf: form.csrf, username: 'ann' },
      isDone: false,
      back: null,
      providers: [],
    },
    done: {
      form: null,
      back: { href: 'https://wiki.example.org/', host: 'wiki.example.org' },
      isDone: true,
      providers: [{ href: '/oauth/acme/logout', label: 'acme' }],
    },
    'not signed in': { form: null, isDone: false, back: null, providers: [] },
  },
  'sign-out-provider': {
    first: {
      action: '/oauth/acme/logout',
      session: { csrf: form.csrf, username: 'ann' },
      provider: 'acme',
    },
    'not signed in': { action: '/oauth/acme/logout', session: null, provider: 'acme' },
  },
}
