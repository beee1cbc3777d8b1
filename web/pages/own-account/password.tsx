import type { AccountPasswordView } from '../../../src/extras/own-account/pages/views.ts'
import { Actions, Button } from '../../components/button.tsx'
import { Captcha } from '../../components/captcha.tsx'
import { Form } from '../../components/form.tsx'
import { NewPasswordFields, UsernameForManagers } from '../../components/new-password-fields.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { useTexts } from '../../context.ts'
import { Back, Outcome, problemAt } from './outcome.tsx'

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
