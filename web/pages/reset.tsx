import type { ResetViews } from '../../src/http/pages/views/reset.ts'
import type { PagesOf } from './page.ts'

export const resetPages: PagesOf<ResetViews> = {}
