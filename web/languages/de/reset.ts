import type { reset as english } from '../en/reset.ts'

export const reset: typeof english = {}
