import type { invitation as english } from '../en/invitation.ts'

export const invitation: typeof english = {}
