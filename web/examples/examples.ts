import type { Views } from '../../src/core/http/pages/views.ts'
import { accountExamples } from './account.ts'
import { federationExamples } from './federation.ts'
import { forwardExamples } from './forward.ts'
import { homeExamples } from './home.ts'
import { invitationExamples } from './invitation.ts'
import { refusalExamples } from './refusal.ts'
import { resetExamples } from './reset.ts'
import { signInExamples } from './sign-in.ts'
import { signUpExamples } from './sign-up.ts'
import type { ExamplesOf } from './types.ts'
import { verifyExamples } from './verify.ts'

/** Every page in each of its states, for the pictures and for the tests of all pages. */
export const examples: ExamplesOf<Views> = {
  ...accountExamples,
  ...federationExamples,
  ...forwardExamples,
  ...homeExamples,
  ...invitationExamples,
  ...refusalExamples,
  ...resetExamples,
  ...signInExamples,
  ...signUpExamples,
  ...verifyExamples,
}
