import { type FilesBeside, subscribersOf } from '../../core/module/hooks.ts'
import { service } from '../../core/module/service.ts'
import { type AccountDeletion, createAccountDeletion } from './deletion.ts'
import { createPersonalData, type PersonalData } from './personal-data.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly accountDeletion: AccountDeletion
    readonly filesBeside: () => Promise<readonly FilesBeside[]>
    readonly personalData: PersonalData
  }
}

export const services = [
  service({
    needs: ['accounts', 'users'],
    makes: ['accountDeletion'],
    hooks: ['deletionNotice'],
    create: ({ deletionNotice, ...needs }) => ({
      accountDeletion: createAccountDeletion({
        ...needs,
        notices: () => subscribersOf(deletionNotice),
      }),
    }),
  }),
  service({
    makes: ['filesBeside'],
    hooks: ['filesBeside'],
    create: ({ filesBeside }) => ({
      async filesBeside() {
        const found = await Promise.all(subscribersOf(filesBeside).map((count) => count()))
        return found.filter((files) => files !== null)
      },
    }),
  }),
  service({
    makes: ['personalData'],
    hooks: ['personSections'],
    create: ({ personSections, ...needs }) => ({
      personalData: createPersonalData({ ...needs, sections: personSections }),
    }),
  }),
]
