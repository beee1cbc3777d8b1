import type { Views } from '../../src/core/http/pages/views.ts'
import { accountPages } from './account.tsx'
import { federationPages } from './federation.tsx'
import { forwardPages } from './forward.tsx'
import { homePages } from './home.tsx'
import { invitationPages } from './invitation.tsx'
import type { PagesOf } from './page.ts'
import { refusalPages } from './refusal.tsx'
import { resetPages } from './reset.tsx'
import { signInPages } from './sign-in.tsx'
import { signUpPages } from './sign-up.tsx'
import { verifyPages } from './verify.tsx'

/** Every page, by the name of its view: one that is missing fails the types. */
export const pages: PagesOf<Views> = {
  ...accountPages,
  ...federationPages,
  ...forwardPages,
  ...homePages,
  ...invitationPages,
  ...refusalPages,
  ...resetPages,
  ...signInPages,
  ...signUpPages,
  ...verifyPages,
}
