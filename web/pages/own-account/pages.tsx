import type {
  AccountPasswordView,
  AccountViews,
  SessionsView,
} from '../../../src/extras/own-account/pages/views.ts'
import { Actions, Button } from '../../components/button.tsx'
import { Captcha } from '../../components/captcha.tsx'
import { Address, Table, Time } from '../../components/data.tsx'
import { Form } from '../../components/form.tsx'
import { NewPasswordFields, UsernameForManagers } from '../../components/new-password-fields.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { useTexts } from '../../context.ts'
import type { PageOf, PagesOf } from '../page.ts'
import { Confirm } from './confirm.tsx'
import { deviceOf } from './device.ts'
import { Back, Outcome, problemAt } from './outcome.tsx'
import { Overview } from './overview.tsx'
import { Leaving, Providers } from './providers.tsx'
import {
  Enrolment,
  NewCodes,
  RemoveFactor,
  RenewCodes,
  SecondFactorState,
} from './second-factor.tsx'

const hasProblem = ({ problem }: { readonly problem: unknown }) => problem !== null

export const pages: PagesOf<AccountViews> = {
  account: { ...page('title', Overview), isWide: true },
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

/** Where the person is signed in. */
export function Sessions({ view }: { view: SessionsView }) {
  const t = useTexts().account
  const { csrf, sessions } = view
  return (
    <>
      <Outcome {...view} />
      <p>{t.sessionsExplanation}</p>
      <Table
        caption={t.sessionsTitle}
        head={[t.device, t.address, t.signedInAt, t.lastSeen, t.action]}
        rows={sessions.map((session) => {
          const device = deviceOf(session, t)
          return [
            session.isKept ? `${device} (${t.kept})` : device,
            <Address key="address" of={session.address} />,
            <Time key="created" at={session.createdAt} />,
            <Time key="seen" at={session.lastSeenAt} />,
            session.isCurrent ? (
              <strong>{t.thisSession}</strong>
            ) : (
              <Form action="/account/sessions/end" csrf={csrf} hidden={{ session: session.id }}>
                <Button kind="quiet" label={t.endSessionOf(device, session.address)}>
                  {t.endSession}
                </Button>
              </Form>
            ),
          ]
        })}
      />
      <Form action="/account/sessions/end-others" csrf={csrf}>
        <p class="hint">{t.endOthersExplanation}</p>
        <Actions>
          <Button kind="danger">{t.endOthers}</Button>
        </Actions>
      </Form>
      <Back />
    </>
  )
}

/** A new password, with the present one. */
export function Password({ view }: { view: AccountPasswordView }) {
  const texts = useTexts()
  const { account: t } = texts
  const { asksCaptcha, asksPassword, csrf, minLength, problem, username } = view
  const at = (name: string) => problemAt(problem, name, texts)
  return (
    <>
      <Outcome {...view} />
      <p>
        {t.endsOthers} {!asksPassword && t.confirmNext}
      </p>
      <Form action="/account/password" csrf={csrf}>
        {asksPassword && (
          <>
            <UsernameForManagers username={username} />
            <PasswordField
              name="current_password"
              label={t.currentPassword}
              autocomplete="current-password"
              problem={at('current_password')}
              hasFocus={!problem || problem.field === 'current_password'}
            />
          </>
        )}
        <NewPasswordFields
          minLength={minLength}
          username={username}
          isBehindAnother={asksPassword}
          problem={at('new_password')}
          repeatProblem={at('new_password_again')}
          hasFocus={problem?.field?.startsWith('new_password') ?? !asksPassword}
        />
        {asksCaptcha && <Captcha />}
        <Actions>
          <Button>{t.changePassword}</Button>
        </Actions>
      </Form>
      <Back />
    </>
  )
}
