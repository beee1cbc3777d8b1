import type {
  AccountPasswordView,
  AccountView,
  AccountViews,
  ConfirmView,
} from '../../../src/extras/own-account/pages/views.ts'
import type { ExamplesOf } from '../page.ts'

export const csrf = 'f4tLkQ0vXo7yqGm2nJ8sWc1dRb9pZeHuTxAiVg5K6w0'
export const at = Date.UTC(2026, 2, 2, 9)
export const own = { csrf, done: null, problem: null } as const

const person: AccountView = {
  ...own,
  username: 'ann',
  name: 'Ann Example',
  contact: 'ann@example.org',
  email: 'ann@example.com',
  secondFactor: true,
  hasPassword: true,
  waysIn: { totp: 1, passkey: 2, recovery_codes: 9, devices: 1, app_passwords: 2, identities: 1 },
  since: at,
  language: 'en',
  languages: ['en', 'de'],
  hasProviders: true,
}
const password: AccountPasswordView = {
  ...own,
  username: 'ann',
  minLength: 12,
  asksCaptcha: false,
  asksPassword: true,
}
const confirm: ConfirmView = {
  ...own,
  action: `/account/confirm?flow=${csrf}`,
  cancel: '/account/second-factor',
  change: 'factor',
  newEmail: null,
  username: 'ann',
  asks: ['password'],
  isConfirmed: false,
  providers: [],
  mailbox: null,
  isMailed: false,
  asksCaptcha: false,
  ...{ passkey: null, kinds: ['totp'] },
}
const providers = [{ name: 'acme', label: 'acme' }]
const wrongCode = { code: 'code_wrong', field: 'totp' } as const
const codes = Array.from({ length: 10 }, (_, index) => `7h2k-9mpq-4w${index}x-3vtz`)
const qr =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 5 5"><path d="M0 0h5v5H0z" fill="white"/><path d="M1 1h1v1H1zM3 2h1v2H3z"/></svg>'

export const examples: ExamplesOf<AccountViews> = {
  account: {
    plain: person,
    'password changed': { ...person, done: 'password' },
    'nothing yet': {
      ...person,
      email: null,
      secondFactor: false,
      waysIn: { recovery_codes: 0, identities: 0 },
      language: null,
      hasProviders: false,
    },
  },
  'account-password': {
    plain: password,
    'wrong password': {
      ...password,
      problem: { code: 'wrong_password', field: 'current_password' },
    },
    'too short': {
      ...password,
      problem: {
        code: 'new_password',
        field: 'new_password',
        password: { rule: 'short', limit: 12 },
      },
    },
    'passwords differ': {
      ...password,
      problem: { code: 'passwords_differ', field: 'new_password_again' },
    },
    'too many': { ...password, problem: { code: 'too_many', field: null, seconds: 840 } },
    captcha: { ...password, asksCaptcha: true, problem: { code: 'captcha', field: null } },
    'confirmed next': { ...password, asksPassword: false },
  },
  'account-second-factor': {
    off: { ...own, isOn: false, hasOther: false },
    on: { ...own, isOn: true, hasOther: false },
    'a passkey alone': { ...own, isOn: false, hasOther: true },
    removed: { ...own, isOn: false, hasOther: false, done: 'factor_removed' },
  },
  'account-enrolment': {
    plain: { ...own, flow: csrf, qr, secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' },
    'wrong code': {
      ...own,
      flow: csrf,
      qr,
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      problem: wrongCode,
    },
  },
  'account-remove-factor': { plain: own },
  'account-recovery-codes': {
    on: { ...own, isOn: true },
    off: { ...own, isOn: false },
  },
  'account-new-codes': {
    first: { codes, isFirst: true },
    renewed: { codes, isFirst: false },
  },
  'account-sessions': {
    several: {
      ...own,
      sessions: [
        {
          id: 'mZ1c0GQ2n5v8y3b6',
          isCurrent: true,
          isKept: true,
          browser: 'Firefox',
          system: 'Linux',
          address: '203.0.113.9',
          createdAt: at,
          lastSeenAt: at + 900_000,
        },
        {
          id: 'nZ1c0GQ2n5v8y3b6',
          isCurrent: false,
          isKept: false,
          browser: 'Safari',
          system: 'iOS',
          address: '2001:db8::7',
          createdAt: at - 86_400_000,
          lastSeenAt: at - 3_600_000,
        },
        {
          id: 'oZ1c0GQ2n5v8y3b6',
          isCurrent: false,
          isKept: false,
          browser: null,
          system: null,
          address: '198.51.100.4',
          createdAt: at - 86_400_000,
          lastSeenAt: at - 7_200_000,
        },
      ],
    },
  },
  'account-providers': {
    none: { ...own, linked: [], offered: [{ name: 'acme', label: 'acme' }] },
    linked: {
      ...own,
      linked: [{ id: 1, provider: 'acme', issuer: 'https://login.acme.example', since: at }],
      offered: [
        { name: 'acme', label: 'acme' },
        { name: 'default', label: 'login.example.org' },
      ],
    },
  },
  'account-leaving': {
    plain: {
      provider: 'login.acme.example',
      url: 'https://login.acme.example/authorize?client_id=gatehouse',
    },
  },
  'account-confirm': {
    password: confirm,
    'password and code': { ...confirm, change: 'deletion', asks: ['password', 'factor'] },
    'new address': { ...confirm, change: 'email', newEmail: 'ann@example.net' },
    'wrong password': {
      ...confirm,
      problem: { code: 'wrong_password', field: 'current_password' },
    },
    'wrong code': { ...confirm, asks: ['password', 'factor'], problem: wrongCode },
    missing: { ...confirm, problem: { code: 'proof_missing', field: null } },
    refused: { ...confirm, asks: ['factor'], problem: { code: 'proof_refused', field: null } },
    'too many': { ...confirm, problem: { code: 'too_many', field: null, seconds: 840 } },
    captcha: { ...confirm, asksCaptcha: true, problem: { code: 'captcha', field: null } },
    provider: { ...confirm, asks: ['factor', 'provider'], providers },
    'after the provider': { ...confirm, asks: ['factor'], isConfirmed: true },
    confirmed: { ...confirm, asks: [], isConfirmed: true },
    mail: { ...confirm, asks: ['email'], mailbox: 'a…@example.com' },
    mailed: { ...confirm, asks: ['email'], mailbox: 'a…@example.com', isMailed: true },
    'wrong mailed code': {
      ...confirm,
      asks: ['email'],
      mailbox: 'a…@example.com',
      isMailed: true,
      problem: { code: 'mailed_code_wrong', field: 'code' },
    },
    nothing: { ...confirm, asks: ['email'] },
  },
}
