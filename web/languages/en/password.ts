import type { PasswordProblem } from '../../../src/core/http/pages/views/password-problem.ts'

/** Why a new password is not accepted. */
export function passwordProblem(problem: PasswordProblem): string {
  switch (problem.rule) {
    case 'short':
      return `The new password must have at least ${problem.limit} characters.`
    case 'long':
      return `The new password must have at most ${problem.limit} characters.`
    case 'bytes':
      return `The new password must have at most ${problem.limit} bytes.`
    default:
      return texts[problem.rule]
  }
}

const texts = {
  missing: 'Choose a new password.',
  characters: 'The new password has characters that cannot be stored.',
  service: 'The new password must not contain the name of this service.',
  username: 'The new password must not contain your username.',
  email: 'The new password must not contain your e-mail address.',
  repeated: 'The new password must not be one piece repeated.',
  keyboard: 'The new password must not be a run of neighbouring keys.',
  known: 'This password became known elsewhere. Choose another one.',
  decorated: 'The new password is a common word with digits or signs. Choose another one.',
  same: 'The new password must differ from the current one.',
  other: 'The new password is not acceptable. Choose another one.',
}
