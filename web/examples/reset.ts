import type { ResetViews } from '../../src/http/pages/views/reset.ts'
import type { ExamplesOf } from './types.ts'

export const resetExamples: ExamplesOf<ResetViews> = {}
