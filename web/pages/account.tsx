import type { AccountViews } from '../../src/core/http/pages/views/account.ts'
import { Confirm } from './account/confirm.tsx'
import { Data, Deleted, Deletion } from './account/data.tsx'
import { Email } from './account/email.tsx'
import { Notices } from './account/notices.tsx'
import { Overview } from './account/overview.tsx'
import { Password } from './account/password.tsx'
import { Leaving, Providers } from './account/providers.tsx'
import {
  Enrolment,
  NewCodes,
  RemoveFactor,
  RenewCodes,
  SecondFactorState,
} from './account/second-factor.tsx'
import { Sessions } from './account/sessions.tsx'
import type { PageOf, PagesOf } from './page.ts'

const hasProblem = ({ problem }: { readonly problem: unknown }) => problem !== null

export const accountPages: PagesOf<AccountViews> = {
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
  'account-email': page('emailTitle', Email),
  'account-notices': {
    title: (_view, { account }) => account.noticesTitle,
    Content: Notices,
    isWide: true,
  },
  'account-data': { title: (_view, { account }) => account.dataTitle, Content: Data },
  'account-delete': page('deletionTitle', Deletion),
  'account-deleted': {
    title: ({ deletionAt }, { account }) =>
      deletionAt === null ? account.deletedTitle : account.deletionRequestedTitle,
    Content: Deleted,
  },
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
  | 'emailTitle'
  | 'confirmTitle'
  | 'deletionTitle'

function page<View extends { readonly problem: unknown }>(
  title: TitleName,
  Content: PageOf<View>['Content'],
): PageOf<View> {
  return { title: (_view, { account }) => account[title], hasProblem, Content }
}
