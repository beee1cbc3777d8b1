import type { Examples } from '../../../test/example.ts'

export const examples: Examples = {
  getHome: {},
  getStatus: {},
  'GET /assets/:version/:file': { make: () => ({ params: { version: 0, file: 'style.css' } }) },
  'GET /.gatehouse/assets/:version/:file': {
    make: () => ({ params: { version: 0, file: 'style.css' } }),
  },
  'POST /language': {
    bare: 303,
    make: () => ({ form: { language: 'de', return_to: '/' } }),
  },
}
