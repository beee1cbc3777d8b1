import type { ConfirmView } from '../../../src/extras/own-account/pages/views.ts'
import { Actions, Button } from '../../components/button.tsx'
import { Captcha } from '../../components/captcha.tsx'
import { CodeField } from '../../components/code-field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/messages.tsx'
import { UsernameForManagers } from '../../components/new-password-fields.tsx'
import { PasskeyForm } from '../../components/passkey-form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { useTexts } from '../../context.ts'
import { Outcome, ProofFields, problemAt, wordsOf } from './outcome.tsx'

/** Asks for the proofs of a person before a change, then continues with the change. */
export function Confirm({ view }: { view: ConfirmView }) {
  const texts = useTexts()
  const { account: t, common, passkeys } = texts
  const { asks, cancel, change, isConfirmed, newEmail } = view
  return (
    <>
      <Outcome {...view} />
      <p>
        {wordsOf(texts).changes[change]}
        {newEmail !== null && (
          <>
            {' '}
            {t.newEmail}: <strong>{newEmail}</strong>.
          </>
        )}
      </p>
      <p>{t.confirmExplanation}</p>
      {isConfirmed && (
        <Notice>
          <p>{asks.length === 0 ? t.confirmed : t.confirmedInPart}</p>
        </Notice>
      )}
      {asks.includes('provider') && <AtProvider view={view} />}
      {asks.includes('email') && <ByMail view={view} />}
      {view.passkey && asks.length > 0 && (
        <PasskeyForm
          action={view.action}
          csrf={view.csrf}
          options={view.passkey}
          ceremony="get"
          label={passkeys.use}
        />
      )}
      <Typed view={view} />
      <p>
        <a href={cancel}>{common.cancel}</a>
      </p>
    </>
  )
}

/** What the person types: the password, a code of the app, a mailed code. */
function Typed({ view }: { view: ConfirmView }) {
  const texts = useTexts()
  const { account: t, common } = texts
  const { action, asks, asksCaptcha, csrf, isMailed, problem, username } = view
  const waitsForProvider = asks.includes('provider')
  const waitsForMail = asks.includes('email') && !isMailed
  if (waitsForProvider || waitsForMail) return null
  const hasPassword = asks.includes('password')
  return (
    <Form action={action} csrf={csrf}>
      {hasPassword && (
        <>
          <UsernameForManagers username={username} />
          <PasswordField
            name="current_password"
            label={t.currentPassword}
            autocomplete="current-password"
            problem={problemAt(problem, 'current_password', texts)}
            hasFocus={!problem || problem.field === 'current_password'}
          />
        </>
      )}
      {asks.includes('email') && (
        <CodeField
          name="code"
          label={t.mailedCode}
          hint={common.eightDigits}
          problem={problemAt(problem, 'code', texts)}
          hasFocus={!problem || problem.field === 'code'}
        />
      )}
      {asks.includes('factor') && <ProofFields problem={problem} kinds={view.kinds} />}
      {asksCaptcha && <Captcha />}
      <Actions>
        <Button>{common.goOn}</Button>
      </Actions>
    </Form>
  )
}

/** A fresh sign-in at a linked provider is the proof. */
function AtProvider({ view: { action, csrf, providers } }: { view: ConfirmView }) {
  const t = useTexts().account
  return (
    <>
      <p>{t.confirmAtProvider}</p>
      {providers.map(({ name, label }) => (
        <Form key={name} action={action} csrf={csrf} hidden={{ by: 'provider', provider: name }}>
          <Actions>
            <Button>{t.signInAt(label)}</Button>
          </Actions>
        </Form>
      ))}
    </>
  )
}

/** A mailed code is the proof, unless no mail can be sent. */
function ByMail({ view: { action, csrf, isMailed, mailbox } }: { view: ConfirmView }) {
  const { account: t, common } = useTexts()
  if (mailbox === null) {
    return (
      <Notice kind="warning">
        <p>{t.nothingToConfirmBy}</p>
      </Notice>
    )
  }
  return (
    <>
      <p>{isMailed ? t.codeMailedTo(mailbox) : t.confirmByMail(mailbox)}</p>
      <Form action={action} csrf={csrf} hidden={{ by: 'mail' }}>
        <Actions>
          <Button kind={isMailed ? 'quiet' : 'main'}>
            {isMailed ? common.resend : t.sendCode}
          </Button>
        </Actions>
      </Form>
    </>
  )
}
