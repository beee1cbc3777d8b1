import { service } from '../../core/module/service.ts'
import { type AccountDeletion, createAccountDeletion } from './deletion.ts'
import { createPersonalData, type PersonalData } from './personal-data.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly accountDeletion: AccountDeletion
    readonly personalData: PersonalData
  }
}

export const services = [
  service({
    needs: ['accounts', 'clock', 'config', 'confirmations', 'mailer', 'outbox', 'users'],
    makes: ['accountDeletion'],
    create: (needs) => ({ accountDeletion: createAccountDeletion(needs) }),
  }),
  service({
    needs: ['clock', 'db', 'events'],
    makes: ['personalData'],
    hooks: ['personSections'],
    create: ({ personSections, ...needs }) => ({
      personalData: createPersonalData({ ...needs, sections: personSections }),
    }),
  }),
]
