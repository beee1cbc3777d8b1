import type { signUp as english } from '../en/sign-up.ts'

export const signUp: typeof english = {}
