import type { Examples } from '../../../test/example.ts'

export const examples: Examples = { getLiveness: {}, getReadiness: {} }
