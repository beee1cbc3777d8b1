import type { Problem } from '../../core/errors.ts'

export const keyNotFound: Problem = {
  name: 'keyNotFound',
  status: 404,
  error: 'Key not found',
}

/** A key that signs, or that a successor has not replaced at every node yet, cannot be retired. */
export const keySigns: Problem = {
  name: 'keySigns',
  status: 409,
  error: 'Key still signs',
}

/** The operator has configured the key, or the service has none of the algorithm. */
export const keyNotReplaced: Problem = {
  name: 'keyNotReplaced',
  status: 409,
  error: 'Key cannot be replaced here',
}
