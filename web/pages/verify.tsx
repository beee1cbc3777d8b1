import type { VerifyViews } from '../../src/http/pages/views/verify.ts'
import type { PagesOf } from './page.ts'

export const verifyPages: PagesOf<VerifyViews> = {}
