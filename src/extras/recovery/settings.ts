import { integer, type Values } from '../../core/config/kinds.ts'
import type { Group, Reading } from '../../core/config/load.ts'

const day = 86_400

export const settings = {
  PASSWORD_RESET_SECONDS: integer({
    formerly: 'RESET_SECONDS',
    default: 1800,
    min: 300,
    max: day,
    doc: 'Life of a link that resets a password. Seconds.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Lifetimes extends Group<typeof configure, 'confirmations'> {}
}

export function configure({ values }: Reading) {
  return {
    config: {
      confirmations: { resetSeconds: values.PASSWORD_RESET_SECONDS },
    },
  }
}
