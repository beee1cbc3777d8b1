import type { Problem } from '../../core/errors.ts'

export const secondFactorNotFound: Problem = {
  name: 'secondFactorNotFound',
  status: 404,
  error: 'Second factor not found',
}

/** A role of the account must have a second factor (REQUIRE_SECOND_FACTOR). */
export const lastFactorRequired: Problem = {
  name: 'lastFactorRequired',
  status: 409,
  error: 'Last second factor required',
}
