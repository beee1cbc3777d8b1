import type { Problem } from '../../src/core/errors.ts'

export const noteNotFound: Problem = { name: 'noteNotFound', status: 404, error: 'Note not found' }
