import type { signIn as english } from '../en/sign-in.ts'

export const signIn: typeof english = {}
