import type { AccountViews } from '../../../src/extras/own-account/pages/views.ts'
import type { PageOf, PagesOf } from '../page.ts'
import { Confirm } from './confirm.tsx'
import { Overview } from './overview.tsx'
import { Password } from './password.tsx'
import { Leaving, Providers } from './providers.tsx'
import {
  Enrolment,
  NewCodes,
  RemoveFactor,
  RenewCodes,
  SecondFactorState,
} from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

const hasProblem = ({ problem }: { readonly problem: unknown }) => problem !== null

export const pages: PagesOf<AccountViews> = {
  account: page('title', Overview),
  'account-password': page('passwordTitle', Password),
  'account-second-factor': page('factorTitle', SecondFactorState),
  'account-enrolment': page('enrolmentTitle', Enrolment),
  'account-remove-factor': page('remove', RemoveFactor),
  'account-recovery-codes': page('codesTitle', RenewCodes),
  'account-new-codes': { title: (_view, { account }) => account.newCodesTitle, Content: NewCodes },
  'account-sessions': { ...page('sessionsTitle', Sessions), isWide: true },
  'account-providers': page('providersTitle', Providers),
  'account-leaving': {
    title: (_view, { account }) => account.leavingTitle,
    refresh: ({ url }) => url,
    Content: Leaving,
  },
  'account-confirm': page('confirmTitle', Confirm),
}

type TitleName =
  | 'title'
  | 'passwordTitle'
  | 'factorTitle'
  | 'enrolmentTitle'
  | 'remove'
  | 'codesTitle'
  | 'sessionsTitle'
  | 'providersTitle'
  | 'confirmTitle'

function page<View extends { readonly problem: unknown }>(
  title: TitleName,
  Content: PageOf<View>['Content'],
): PageOf<View> {
  return { title: (_view, { account }) => account[title], hasProblem, Content }
}
