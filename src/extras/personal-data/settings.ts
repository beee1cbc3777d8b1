import { integer, type Values } from '../../core/config/kinds.ts'
import type { Group, Reading } from '../../core/config/load.ts'

export const settings = {
  ACCOUNT_DELETION_DAYS: integer({
    default: 7,
    min: 0,
    max: 3650,
    doc: 'How many days an account waits after its owner has deleted it; a link that is mailed to the owner cancels the deletion. 0: it is erased at once, as it is without mail or without a verified address. docs/personal-data.md',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Lifetimes extends Group<typeof configure, 'confirmations'> {}
}

export function configure({ values }: Reading) {
  return {
    config: {
      confirmations: {
        /** 0: a deletion by the owner erases the account at once. */
        deletionSeconds: values.ACCOUNT_DELETION_DAYS * 86_400,
      },
    },
  }
}
