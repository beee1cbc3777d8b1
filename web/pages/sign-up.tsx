import type { SignUpViews } from '../../src/http/pages/views/sign-up.ts'
import type { PagesOf } from './page.ts'

export const signUpPages: PagesOf<SignUpViews> = {}
