import { account } from './de/account.ts'
import { common } from './de/common.ts'
import { federation } from './de/federation.ts'
import { forward } from './de/forward.ts'
import { home } from './de/home.ts'
import { invitation } from './de/invitation.ts'
import { mailbox } from './de/mailbox.ts'
import { passwordProblem } from './de/password.ts'
import { refusal } from './de/refusal.ts'
import { reset } from './de/reset.ts'
import { signIn } from './de/sign-in.ts'
import { signUp } from './de/sign-up.ts'
import { verify } from './de/verify.ts'
import type { Texts } from './languages.ts'

export const de: Texts = {
  account,
  common,
  federation,
  forward,
  home,
  invitation,
  mailbox,
  passwordProblem,
  refusal,
  reset,
  signIn,
  signUp,
  verify,
}
