import { oneOf, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'

export const settings = {
  POSTS_DELETE_POLICY: oneOf({
    default: 'admin',
    values: ['admin', 'owner'],
    doc: 'Who may delete a post: an ADMIN, or its author as well.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ values }: Reading) {
  return {
    config: {
      posts: { deletePolicy: values.POSTS_DELETE_POLICY },
    },
  }
}
