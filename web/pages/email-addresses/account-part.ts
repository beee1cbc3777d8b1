import type { AccountPart } from '../own-account/part.ts'
import { LanguageForm } from './language-form.tsx'

export const accountPart: AccountPart = {
  links: [
    {
      group: 'you',
      order: 10,
      href: '/account/email',
      title: ({ ownEmail }) => ownEmail.emailTitle,
      summary: ({ ownEmail }) => ownEmail.emailSummary,
      state: ({ email }, { ownEmail }) => email ?? ownEmail.noEmail,
    },
  ],
  Section: LanguageForm,
  hint: ({ ownEmail }) => ownEmail.twoAddresses,
  words: ({ ownEmail: { done, problems } }) => ({ done, problems }),
}
