import type { Problem } from '../../core/errors.ts'

export const tooManyKeys: Problem = { name: 'tooManyKeys', status: 409, error: 'Too many keys' }
