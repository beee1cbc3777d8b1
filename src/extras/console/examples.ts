import type { Examples } from '../../../test/example.ts'

export const examples: Examples = { 'GET /admin': {}, 'GET /admin/*': {} }
