import type { Needs } from '../../../core/module/services.ts'
import { home } from '../../../modules/flows/return-to.ts'
import type { SignInLink } from '../../../modules/pages/sign-in/views.ts'
import type { FirstPage } from '../../../modules/pages/sign-in/ways.ts'
import { ownAccount } from './new-session.ts'

export type SignUpLinkDeps = Pick<Needs, 'config' | 'outbox'>

/** Null: the sign-in page offers no sign-up. */
export function signUpLink(
  { config, outbox }: SignUpLinkDeps,
  { isOpen, returnTo }: FirstPage,
): SignInLink | null {
  if (!outbox.isAvailable || !isOpen || config.signUp.mode !== 'open') return null
  // The default target needs no parameter.
  const isNamed = returnTo !== ownAccount && returnTo !== home
  const query = isNamed ? `?${new URLSearchParams({ return_to: returnTo })}` : ''
  return { name: 'signUp', href: `/signup${query}` }
}
