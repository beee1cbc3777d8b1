import { type FilesOutside, subscribersOf } from '../../core/module/hooks.ts'
import { service } from '../../core/module/service.ts'
import { type AccountDeletion, createAccountDeletion } from './deletion.ts'
import { createPersonalData, type PersonalData } from './personal-data.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly accountDeletion: AccountDeletion
    readonly filesOutside: () => Promise<readonly FilesOutside[]>
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
    makes: ['filesOutside'],
    hooks: ['filesOutside'],
    create: ({ filesOutside }) => ({
      async filesOutside() {
        const found = await Promise.all(subscribersOf(filesOutside).map((count) => count()))
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
