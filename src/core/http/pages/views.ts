import type { AccountViews } from './views/account.ts'
import type { FederationViews } from './views/federation.ts'
import type { ForwardViews } from './views/forward.ts'
import type { HomeViews } from './views/home.ts'
import type { InvitationViews } from './views/invitation.ts'
import type { RefusalViews } from './views/refusal.ts'
import type { ResetViews } from './views/reset.ts'
import type { SignInViews } from './views/sign-in.ts'
import type { SignUpViews } from './views/sign-up.ts'
import type { VerifyViews } from './views/verify.ts'

/**
 * What each page shows, by the name of the page. Plain data, as in JSON: no functions, and a time is
 * in milliseconds since 1970. `web/` makes the HTML of it, in the language of the reader.
 */
export type Views = AccountViews &
  FederationViews &
  ForwardViews &
  HomeViews &
  InvitationViews &
  RefusalViews &
  ResetViews &
  SignInViews &
  SignUpViews &
  VerifyViews

export type ViewName = keyof Views
