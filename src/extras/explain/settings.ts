import { integer, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import { gatehouse } from '../../core/hints/command-line.ts'

export const settings = {
  REJECTIONS_KEPT: integer({
    formerly: 'REFUSALS_MAX',
    default: 10_000,
    min: 0,
    doc: `How many refusals are kept for 24 hours with their reasons, for \`${gatehouse} explain\`; a tenth of them of one address. 0: none.`,
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ values }: Reading) {
  return {
    config: {
      refusals: { max: values.REJECTIONS_KEPT },
    },
  }
}
