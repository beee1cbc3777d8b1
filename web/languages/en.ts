import { account } from './en/account.ts'
import { common } from './en/common.ts'
import { federation } from './en/federation.ts'
import { forward } from './en/forward.ts'
import { home } from './en/home.ts'
import { invitation } from './en/invitation.ts'
import { mailbox } from './en/mailbox.ts'
import { passwordProblem } from './en/password.ts'
import { refusal } from './en/refusal.ts'
import { reset } from './en/reset.ts'
import { signIn } from './en/sign-in.ts'
import { signUp } from './en/sign-up.ts'
import { verify } from './en/verify.ts'

export const en = {
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
