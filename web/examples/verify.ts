import type { VerifyViews } from '../../src/http/pages/views/verify.ts'
import type { ExamplesOf } from './types.ts'

export const verifyExamples: ExamplesOf<VerifyViews> = {}
