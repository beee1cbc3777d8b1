import type { Examples } from '../../../test/example.ts'

export const examples: Examples = {
  getOpenApi: {},
  getDocs: {},
  'GET /assets/docs/:version/:file': { make: () => ({ params: { version: 0, file: 'main.js' } }) },
}
