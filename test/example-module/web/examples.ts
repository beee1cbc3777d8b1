import type { SignInViews } from '../../../src/modules/pages/sign-in/views.ts'
import { at, own } from '../../../web/pages/own-account/examples.ts'
import type { ExamplesOf } from '../../../web/pages/page.ts'
import { first, form } from '../../../web/pages/sign-in/examples.ts'
import type { BadgeViews } from '../views.ts'

const qr =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 3"><path d="M0,0h1v1h-1z"/></svg>'
const words = 'cXVpZXQgYnJvd24gZm94'

export const examples: ExamplesOf<
  BadgeViews & Pick<SignInViews, 'sign-in' | 'sign-in-second-factor'>
> = {
  'sign-in': {
    'by badge': { ...first, links: [{ name: 'badge', href: `${form.action}&by=badge` }] },
  },
  'sign-in-second-factor': {
    'by a note': {
      ...form,
      ...{ kinds: ['note_code'], passkey: null, problem: null },
      ...{ rememberDays: null, isRememberChosen: false },
    },
  },
  'sign-in-badge': {
    first: { ...form, username: '', problem: null },
    wrong: { ...form, username: 'ann', problem: 'wrong' },
    throttled: { ...form, username: 'ann', problem: 'throttled', retryAfterSeconds: 840 },
  },
  'account-badge': {
    none: { ...own, since: null },
    one: { ...own, since: at },
    removed: { ...own, done: 'badge_removed', since: null },
  },
  'account-new-badge': {
    plain: { username: 'ann', words, link: `https://id.example/signin?by=badge#ann:${words}`, qr },
  },
}
