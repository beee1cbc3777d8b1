import type { SignInViews } from '../../src/http/pages/views/sign-in.ts'
import type { ExamplesOf } from './types.ts'

export const signInExamples: ExamplesOf<SignInViews> = {}
