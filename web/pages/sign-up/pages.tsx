import type {
  SignUpClosedView,
  SignUpDeadLinkView,
  SignUpMailboxView,
  SignUpProfileView,
  SignUpView,
  SignUpViews,
} from '../../../src/extras/sign-up/pages/views.ts'
import { Actions, Button, LinkButton } from '../../components/button.tsx'
import { Time } from '../../components/data.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice, Problem } from '../../components/messages.tsx'
import { useTexts } from '../../context.ts'
import { Mailbox, TooManyMails } from '../mail/mailbox.tsx'
import type { PagesOf } from '../page.ts'
import { hasProblems, ProfileFields, ProfileProblem } from './profile-fields.tsx'

export const pages: PagesOf<SignUpViews> = {
  'sign-up': {
    title: (_view, { signUp }) => signUp.title,
    hasProblem: ({ problem }) => problem !== null,
    Content: Address,
  },
  'sign-up-mailbox': {
    title: (_view, { mailbox }) => mailbox.title,
    hasProblem: ({ problem }) => problem !== null,
    Content: LookForMail,
  },
  'sign-up-profile': {
    title: (_view, { signUp }) => signUp.profile,
    hasProblem: ({ problems }) => hasProblems(problems),
    Content: Profile,
  },
  'sign-up-closed': { title: (_view, { signUp }) => signUp.closed, Content: Closed },
  'sign-up-taken': { title: (_view, { signUp }) => signUp.taken, Content: Taken },
  'sign-up-dead-link': { title: (_view, { signUp }) => signUp.deadLink, Content: DeadLink },
}

function Address({ view }: { view: SignUpView }) {
  const { common, signUp: t } = useTexts()
  const { action, csrf, email, isEnded, problem, retryAfterSeconds } = view
  const fieldProblem = problem === null || problem === 'too_often' ? null : t.emailProblems[problem]
  return (
    <>
      {isEnded && <Notice kind="warning">{t.ended}</Notice>}
      {fieldProblem && <Problem fields={[{ name: 'email', text: fieldProblem }]} />}
      {problem === 'too_often' && <TooManyMails seconds={retryAfterSeconds} />}
      <p>{t.lead}</p>
      <Form action={action} csrf={csrf}>
        <Field
          name="email"
          type="email"
          label={common.email}
          autocomplete="email"
          inputMode="email"
          value={email}
          problem={fieldProblem}
          hasFocus={problem !== 'too_often'}
        />
        <Actions>
          <Button>{t.sendMail}</Button>
        </Actions>
      </Form>
      <p>
        {t.hasAccount} <a href="/signin">{t.signIn}</a>
      </p>
    </>
  )
}

function LookForMail({ view }: { view: SignUpMailboxView }) {
  const { signUp: t } = useTexts()
  const other = { href: '/signup', text: t.otherAddress }
  return (
    <Mailbox view={view} hint={t.noMailHint} resent={t.sentAgain} other={other}>
      <p>
        {t.sentTo} <strong>{view.email}</strong>. {t.openOrType}
      </p>
      <p>
        {t.countsUntil} <Time at={view.linkUntil} />, {t.codeHere}
      </p>
    </Mailbox>
  )
}

function Profile({ view }: { view: SignUpProfileView }) {
  const { signUp: t } = useTexts()
  const { action, csrf, email } = view
  return (
    <>
      <ProfileProblem {...view} />
      <p>
        {t.confirmed} <strong>{email}</strong>. {t.choose}
      </p>
      <p>{t.notYou}</p>
      <Form action={action} csrf={csrf}>
        <ProfileFields {...view} />
        <Actions>
          <Button>{t.makeAccount}</Button>
        </Actions>
      </Form>
    </>
  )
}

function Closed({ view: { why } }: { view: SignUpClosedView }) {
  const { common, signUp: t } = useTexts()
  return (
    <>
      <p>{t.whyClosed[why]}</p>
      <Actions>
        <LinkButton href="/signin">{t.signIn}</LinkButton>
        <LinkButton href="/" kind="quiet">
          {common.startPage}
        </LinkButton>
      </Actions>
    </>
  )
}

/** Told to a person who has just shown to read the mailbox. */
function Taken() {
  const { signUp: t } = useTexts()
  return (
    <>
      <p>{t.takenText}</p>
      <Actions>
        <LinkButton href="/signin">{t.signIn}</LinkButton>
        <LinkButton href="/reset" kind="quiet">
          {t.forgotPassword}
        </LinkButton>
      </Actions>
    </>
  )
}

function DeadLink({ view: { message, requestId } }: { view: SignUpDeadLinkView }) {
  const { common, signUp: t } = useTexts()
  return (
    <>
      <p>{t.deadLinkText}</p>
      <Actions>
        <LinkButton href="/signup">{t.beginAgain}</LinkButton>
        <LinkButton href="/signin" kind="quiet">
          {t.signIn}
        </LinkButton>
      </Actions>
      <p class="muted">
        <code lang="en">{message}</code> · {common.forQuestions(requestId)}
      </p>
    </>
  )
}
