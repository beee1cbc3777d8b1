import { inTransaction } from '../../core/module/hooks.ts'
import { service } from '../../core/module/service.ts'
import { accountsIn } from '../accounts/accounts.ts'
import { type Completion, createCompletion } from '../authentication/completion.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly completion: Completion
  }
}

export const services = [
  service({
    needs: ['requirements'],
    makes: ['completion'],
    hooks: ['onSignedIn'],
    create: ({ clock, onSignedIn, ...needs }) => ({
      completion: createCompletion({
        ...needs,
        present: (trx, userId) => accountsIn(trx).present(userId),
        presentAtLogin: (trx, userId, byPassword) =>
          accountsIn(trx).presentAtLogin(userId, clock.now(), byPassword),
        signedIn: inTransaction(onSignedIn),
      }),
    }),
  }),
]
