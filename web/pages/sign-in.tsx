import type { SignInViews } from '../../src/http/pages/views/sign-in.ts'
import type { PagesOf } from './page.ts'

export const signInPages: PagesOf<SignInViews> = {}
