import type { OwnDataViews } from '../../../src/extras/personal-data/views.ts'
import { at, own } from '../own-account/examples.ts'
import type { ExamplesOf } from '../page.ts'

export const examples: ExamplesOf<OwnDataViews> = {
  'account-data': { plain: { file: '/api/account/export' } },
  'account-delete': {
    plain: { ...own, days: 0 },
    waits: { ...own, days: 7 },
    'wrong username': { ...own, days: 7, problem: { code: 'username_wrong', field: 'username' } },
    'last administrator': { ...own, days: 7, problem: { code: 'last_administrator', field: null } },
  },
  'account-deleted': { plain: { deletionAt: null }, waits: { deletionAt: at + 7 * 86_400_000 } },
}
