import type { Config } from '../../../core/config/load.ts'
import { home } from '../../../modules/flows/return-to.ts'
import type { FirstPage } from '../../../modules/pages/sign-in/ways.ts'
import type { Outbox } from '../../mail/outbox.ts'
import { ownAccount } from './new-session.ts'

export interface SignUpLinkDeps {
  readonly config: Pick<Config, 'signUp'>
  readonly outbox: Pick<Outbox, 'isAvailable'>
}

/** Where the page of the sign-in offers an account to who has none; null: it does not. */
export function signUpLink(
  { config, outbox }: SignUpLinkDeps,
  { isOpen, returnTo }: FirstPage,
): string | null {
  if (!outbox.isAvailable || !isOpen || config.signUp.mode !== 'open') return null
  // The default target of a sign-up needs no parameter.
  const isNamed = returnTo !== ownAccount && returnTo !== home
  return isNamed ? `/signup?${new URLSearchParams({ return_to: returnTo })}` : '/signup'
}
