import type { AccountViews } from '../../src/http/pages/views/account.ts'
import type { PagesOf } from './page.ts'

export const accountPages: PagesOf<AccountViews> = {}
