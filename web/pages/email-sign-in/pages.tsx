import type {
  ByMailView,
  ByMailViews,
  DeadLinkView,
  LinkView,
  MailedView,
} from '../../../src/extras/email-sign-in/pages/views.ts'
import { Actions, Button, LinkButton } from '../../components/button.tsx'
import { CodeField } from '../../components/code-field.tsx'
import { DefinitionList, Time } from '../../components/data.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/messages.tsx'
import { Resend } from '../../components/resend.tsx'
import { useTexts } from '../../context.ts'
import type { PagesOf } from '../page.ts'
import { Anew, Wrong } from '../sign-in/parts.tsx'

const hasProblem = ({ problem }: { readonly problem: unknown }) => problem !== null

export const pages: PagesOf<ByMailViews> = {
  'sign-in-by-mail': {
    title: (_view, { emailSignIn: t }) => t.byMail.title,
    hasProblem,
    Content: ByMail,
  },
  'sign-in-mailed': {
    title: (_view, { mailbox }) => mailbox.title,
    hasProblem,
    Content: Mailed,
  },
  'sign-in-link': {
    title: ({ username }, { emailSignIn: t }) => t.link.title(username),
    Content: Link,
  },
  'sign-in-dead-link': {
    title: (_view, { emailSignIn: t }) => t.deadLink.title,
    Content: DeadLink,
  },
}

function ByMail({ view }: { view: ByMailView }) {
  const { common, emailSignIn } = useTexts()
  const t = emailSignIn.byMail
  const { problem } = view
  return (
    <>
      <p>{t.lead}</p>
      <Wrong text={problem && t.problems[problem]} form={view} />
      <Form action={view.action} csrf={view.csrf} hidden={{ by: 'mail' }}>
        <Field
          name="email"
          type="email"
          label={common.email}
          autocomplete="email"
          inputMode="email"
          value={view.email}
          isWrong={problem === 'form'}
          hasFocus
        />
        <Actions>
          <Button>{t.submit}</Button>
          <a href={view.begin}>{t.withPassword}</a>
        </Actions>
      </Form>
    </>
  )
}

function Mailed({ view }: { view: MailedView }) {
  const { common, signIn, emailSignIn } = useTexts()
  const t = emailSignIn.mailed
  const { problem } = view
  return (
    <>
      <p>{t.lead(view.email)}</p>
      <p>{t.lifetime(common.inWords(view.lifetimeSeconds))}</p>
      <Wrong text={problem && t.problems[problem]} form={view} />
      <Form action={view.action} csrf={view.csrf}>
        <CodeField
          name="code"
          label={common.code}
          hint={common.eightDigits}
          isWrong={problem === 'wrong' || problem === 'missing'}
          hasFocus
        />
        <Actions>
          <Button>{signIn.submit}</Button>
        </Actions>
      </Form>
      <Resend action={view.action} csrf={view.csrf} seconds={view.resendSeconds} />
      <Anew form={view} />
    </>
  )
}

function Link({ view }: { view: LinkView }) {
  const t = useTexts().emailSignIn.link
  const { asked, username } = view
  return (
    <>
      {asked === null ? (
        <p>{t.lead(username)}</p>
      ) : (
        <>
          <Notice kind="warning">
            <p>{t.elsewhere}</p>
          </Notice>
          <DefinitionList
            rows={[
              [t.askedAt, <Time key="at" at={asked.at} />],
              [t.askedFrom, asked.address ?? t.unknown],
              [t.askedBy, deviceOf(asked, t)],
            ]}
          />
          <p>{t.onlyYou(username)}</p>
        </>
      )}
      <Form action={view.action} csrf={view.csrf}>
        <Actions>
          <Button>{t.submit(username)}</Button>
          <a href="/">{t.notMe}</a>
        </Actions>
      </Form>
    </>
  )
}

function deviceOf(
  { browser, system }: NonNullable<LinkView['asked']>,
  { unknown, device }: { unknown: string; device: (browser: string, system: string) => string },
): string {
  if (browser !== null && system !== null) return device(browser, system)
  return browser ?? system ?? unknown
}

function DeadLink({ view: { begin } }: { view: DeadLinkView }) {
  const { signIn, emailSignIn } = useTexts()
  return (
    <>
      <p>{emailSignIn.deadLink.text}</p>
      <Actions>
        <LinkButton href={begin}>{signIn.beginAnew}</LinkButton>
      </Actions>
    </>
  )
}
