import { afterwards, inTransaction } from '../../core/module/hooks.ts'
import { hook, service } from '../../core/module/service.ts'
import { type AccountList, createAccountList } from './account-list.ts'
import { type Accounts, createAccounts, isAdministratorsUser } from './accounts.ts'
import { type AutomaticLock, createAutomaticLock } from './lock.ts'
import { sections } from './personal-data.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly accountList: AccountList
    readonly accounts: Accounts
    readonly lock: AutomaticLock
  }
}

export const services = [
  service({
    needs: ['isBreached', 'passwords', 'requirements'],
    makes: ['accounts'],
    hooks: ['onAccountEnded', 'onAccountChanged'],
    create: ({ log, onAccountEnded, onAccountChanged, ...needs }) => ({
      accounts: createAccounts({
        ...needs,
        hooks: { ended: inTransaction(onAccountEnded), changed: afterwards(onAccountChanged, log) },
      }),
    }),
  }),
  service({
    makes: ['lock'],
    hooks: ['onLockedOut'],
    create: ({ onLockedOut, ...needs }) => ({
      lock: createAutomaticLock({ ...needs, endSignIns: inTransaction(onLockedOut) }),
    }),
  }),
  service({
    makes: ['accountList'],
    create: (needs) => ({ accountList: createAccountList(needs) }),
  }),
]

export const hooks = [
  hook('isPrivileged', [], () => isAdministratorsUser),
  hook('onUserRemoved', ['accounts'], ({ accounts }) => accounts.removeWithUser),
  hook('personSections', [], () => sections),
]
