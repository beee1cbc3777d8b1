import type { SignUpViews } from '../../src/http/pages/views/sign-up.ts'
import type { ExamplesOf } from './types.ts'

export const signUpExamples: ExamplesOf<SignUpViews> = {}
