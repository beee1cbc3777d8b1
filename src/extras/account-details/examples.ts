import type { Examples } from '../../../test/example.ts'

export const examples: Examples = {
  getAccountDetails: { make: ({ owner }) => ({ params: { username: owner.username } }) },
}
