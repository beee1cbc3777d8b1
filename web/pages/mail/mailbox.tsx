import type { ComponentChildren } from 'preact'
import type { MailboxView } from '../../../src/extras/mail/mailbox-view.ts'
import { Actions, Button } from '../../components/button.tsx'
import { CodeField } from '../../components/code-field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice, Problem } from '../../components/messages.tsx'
import { Resend } from '../../components/resend.tsx'
import { useTexts } from '../../context.ts'

interface MailboxProps {
  readonly view: MailboxView
  /** What was mailed, to whom, and until when it counts. */
  readonly children: ComponentChildren
  /** What to do if no mail comes. */
  readonly hint: string
  /** That the mail was sent once more. */
  readonly resent: string
  readonly other: { readonly href: string; readonly text: string }
}

/** Says that a mail is on its way, asks for its code, and sends it once more. */
export function Mailbox({ view, children, hint, resent, other }: MailboxProps) {
  const { common, mailbox: t } = useTexts()
  const { action, csrf, isResent, problem, resendSeconds, retryAfterSeconds } = view
  const codeProblem = problem === 'code' ? t.codeProblem : null
  return (
    <>
      {codeProblem && <Problem fields={[{ name: 'code', text: codeProblem }]} />}
      {problem === 'too_often' && <TooManyMails seconds={retryAfterSeconds} />}
      {isResent && problem === null && <Notice>{resent}</Notice>}
      {children}
      <Form action={action} csrf={csrf}>
        <CodeField
          name="code"
          label={common.code}
          hint={common.eightDigits}
          problem={codeProblem}
          hasFocus={problem !== 'too_often'}
        />
        <Actions>
          <Button>{common.goOn}</Button>
        </Actions>
      </Form>
      <h2>{t.noMail}</h2>
      <p>{hint}</p>
      <Resend action={action} csrf={csrf} seconds={resendSeconds} />
      <p>
        <a href={other.href}>{other.text}</a>
      </p>
    </>
  )
}

/** Says that too many mails were asked for, and when the next one can be. */
export function TooManyMails({ seconds }: { readonly seconds: number | null }) {
  const { common, mailbox: t } = useTexts()
  return (
    <Problem>
      <p>
        {t.tooOften} {seconds !== null && common.tryAgainIn(seconds)}
      </p>
    </Problem>
  )
}
