import { limitPageRequests } from '../../core/http/limits/page-requests.ts'
import { warningOfPages } from '../../core/http/pages/built.ts'
import type { RoomParts } from '../../core/module/room.ts'
import type { Workers } from '../../core/workers/workers.ts'
import { type VerifyPagesOptions, verifyPages } from '../../extras/email-addresses/pages/routes.ts'
import { changePasswordRoutes } from '../../extras/own-account/change-password.ts'
import { type AccountPagesDeps, accountPages } from '../../extras/own-account/pages/routes.ts'
import { type ResetPagesOptions, resetPages } from '../../extras/recovery/pages/routes.ts'
import {
  type InvitationPagesOptions,
  invitationPages,
} from '../../extras/sign-up/pages/invitation/routes.ts'
import { type SignUpPagesOptions, signUpPages } from '../../extras/sign-up/pages/routes.ts'
import { type ApplicationRoutesOptions, applicationRoutes } from './sign-in/application.ts'
import { type ProviderSignOutOptions, providerSignOutRoutes } from './sign-in/provider-sign-out.ts'
import { type SignInRoutesOptions, signInRoutes } from './sign-in/routes.ts'
import { type SignOutRoutesOptions, signOutRoutes } from './sign-in/sign-out.ts'

/** The flows of pages, a folder for each: what it needs, and below its routes. */
export type Needs = AccountPagesDeps &
  ApplicationRoutesOptions &
  InvitationPagesOptions &
  ProviderSignOutOptions &
  ResetPagesOptions &
  SignInRoutesOptions &
  SignOutRoutesOptions &
  SignUpPagesOptions &
  VerifyPagesOptions & { readonly workers: Pick<Workers, 'index'> }

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    app.addHook('onListen', async () => {
      const warning = needs.workers.index === 0 ? warningOfPages() : null
      if (warning !== null) app.log.warn(warning)
    })
    limitPageRequests(app)
    await app.register(changePasswordRoutes)
    await app.register(accountPages, needs)
    await app.register(resetPages, needs)
    await app.register(verifyPages, needs)
    await app.register(signInRoutes, needs)
    await app.register(applicationRoutes, needs)
    await app.register(signOutRoutes, needs)
    await app.register(providerSignOutRoutes, needs)
    await app.register(invitationPages, needs)
    await app.register(signUpPages, needs)
  },
}
