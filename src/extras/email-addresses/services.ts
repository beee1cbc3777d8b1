import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import { afterwards, inTransaction } from '../../core/module/hooks.ts'
import { hook, service } from '../../core/module/service.ts'
import type { AccountDetail } from '../../modules/accounts/account-detail.ts'
import { createEmails, type Emails } from './emails.ts'
import { AccountEmailBody, accountEmailExample, showToAdministrator } from './schemas.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly emails: Emails
  }
}

export const services = [
  service({
    needs: [
      'devices',
      'factors',
      'identities',
      'accounts',
      'confirmations',
      'outbox',
      'requirements',
    ],
    makes: ['emails'],
    hooks: ['onAccountEnded', 'onAccountChanged'],
    create: ({ log, onAccountEnded, onAccountChanged, ...needs }) => ({
      emails: createEmails({
        ...needs,
        hooks: { ended: inTransaction(onAccountEnded), changed: afterwards(onAccountChanged, log) },
      }),
    }),
  }),
]

export const hooks = [hook('accountDetail', ['emails'], emailDetail)]

function emailDetail({ emails }: { readonly emails: Pick<Emails, 'of'> }): AccountDetail {
  return {
    name: 'email',
    schema: AccountEmailBody,
    example: accountEmailExample,
    async read({ userId }) {
      const own = await emails.of(userId)
      if (!own) throw goneMeanwhile('accountNotFound')
      return showToAdministrator(own)
    },
  }
}
