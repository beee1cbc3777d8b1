import type { EmailView } from '../../../src/extras/email-addresses/pages/views.ts'
import { Actions, Button } from '../../components/button.tsx'
import { CodeField } from '../../components/code-field.tsx'
import { Time } from '../../components/data.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/messages.tsx'
import { useTexts } from '../../context.ts'
import { Back, Outcome, problemAt } from '../own-account/outcome.tsx'

/** The verified address, the one that waits for its proof, and the form of a new one. */
export function Email({ view }: { view: EmailView }) {
  const texts = useTexts()
  const { account, ownEmail: t } = texts
  const { csrf, email, hasMail, isUndeliverable, problem, typed } = view
  return (
    <>
      <Outcome {...view} />
      {email === null ? (
        <p>{t.emailNone}</p>
      ) : (
        <p>
          {t.emailIs} <strong>{email}</strong>.
        </p>
      )}
      {isUndeliverable && (
        <Notice kind="warning">
          <p>{t.undeliverable}</p>
        </Notice>
      )}
      {view.pending && <Pending view={view} pending={view.pending} />}
      <h2>{email === null ? t.verifyTitle : t.changeTitle}</h2>
      {hasMail ? (
        <>
          <p>{email === null ? t.verifyExplanation : t.changeExplanation}</p>
          <Form action="/account/email" csrf={csrf}>
            <Field
              name="email"
              type="email"
              label={account.newEmail}
              autocomplete="email"
              inputMode="email"
              value={typed}
              problem={problemAt(problem, 'email', texts)}
              hasFocus={problem?.field === 'email'}
            />
            <Actions>
              <Button>{t.sendMail}</Button>
            </Actions>
          </Form>
        </>
      ) : (
        <p>{t.mailOff}</p>
      )}
      <p class="hint">{t.twoAddresses}</p>
      <Back />
    </>
  )
}

function Pending({
  view: { csrf, problem },
  pending: { address, expiresAt },
}: {
  view: EmailView
  pending: NonNullable<EmailView['pending']>
}) {
  const texts = useTexts()
  const { account, common, ownEmail: t } = texts
  return (
    <section aria-labelledby="pending">
      <h2 id="pending">{t.pendingTitle}</h2>
      <p>
        {t.pending} <strong>{address}</strong>. {t.pendingUntil} <Time at={expiresAt} />.
      </p>
      <Form action="/account/email/confirm" csrf={csrf}>
        <CodeField
          name="code"
          label={account.mailedCode}
          hint={common.eightDigits}
          problem={problemAt(problem, 'code', texts)}
          hasFocus={problem?.field === 'code'}
        />
        <Actions>
          <Button>{t.confirmCode}</Button>
        </Actions>
      </Form>
      <Form action="/account/email" csrf={csrf} hidden={{ email: address }}>
        <Actions>
          <Button kind="quiet">{common.resend}</Button>
        </Actions>
      </Form>
      <Form action="/account/email/cancel" csrf={csrf}>
        <Actions>
          <Button kind="quiet">{t.giveUp}</Button>
        </Actions>
      </Form>
    </section>
  )
}
