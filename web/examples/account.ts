import type { AccountViews } from '../../src/http/pages/views/account.ts'
import type { ExamplesOf } from './types.ts'

export const accountExamples: ExamplesOf<AccountViews> = {}
