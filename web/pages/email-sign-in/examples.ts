import type { ByMailViews } from '../../../src/extras/email-sign-in/pages/views.ts'
import type { SignInViews } from '../../../src/modules/pages/sign-in/views.ts'
import type { ExamplesOf } from '../page.ts'
import { first, form } from '../sign-in/examples.ts'

const mailed = {
  ...form,
  email: 'ann@example.org',
  lifetimeSeconds: 600,
  resendSeconds: 60,
  problem: null,
}

export const examples: ExamplesOf<ByMailViews & Pick<SignInViews, 'sign-in'>> = {
  'sign-in': {
    'by mail': { ...first, links: [{ name: 'byMail', href: `${form.action}&by=mail` }] },
  },
  'sign-in-by-mail': {
    first: { ...form, email: '', problem: null },
    wrong: { ...form, email: 'ann', problem: 'form' },
  },
  'sign-in-mailed': { first: mailed, wrong: { ...mailed, problem: 'wrong' } },
  'sign-in-link': {
    here: { ...form, username: 'ann', asked: null },
    elsewhere: {
      ...form,
      username: 'ann',
      asked: { at: 1_772_442_000_000, address: '203.0.113.9', browser: 'Firefox', system: 'Linux' },
    },
  },
  'sign-in-dead-link': { first: { begin: '/signin' } },
}
