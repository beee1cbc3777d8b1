import type {
  ResetDoneView,
  ResetFactorView,
  ResetMailboxView,
  ResetPasswordView,
  ResetView,
  ResetViews,
} from '../../../src/extras/recovery/pages/views.ts'
import { Actions, Button, LinkButton } from '../../components/button.tsx'
import { DefinitionList, Time } from '../../components/data.tsx'
import { FactorFields } from '../../components/factor-fields.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice, Problem } from '../../components/messages.tsx'
import { NewPasswordFields } from '../../components/new-password-fields.tsx'
import { PasskeyForm } from '../../components/passkey-form.tsx'
import { useTexts } from '../../context.ts'
import { Mailbox, TooManyMails } from '../mail/mailbox.tsx'
import type { PagesOf } from '../page.ts'

export const pages: PagesOf<ResetViews> = {
  reset: {
    title: (_view, { reset }) => reset.title,
    hasProblem: ({ problem }) => problem !== null,
    Content: Ask,
  },
  'reset-mailbox': {
    title: (_view, { mailbox }) => mailbox.title,
    hasProblem: ({ problem }) => problem !== null,
    Content: LookForMail,
  },
  'reset-factor': {
    title: (_view, { reset }) => reset.factor,
    hasProblem: ({ problem }) => problem !== null,
    Content: Factor,
  },
  'reset-password': {
    title: ({ deletion }, { reset }) => (deletion === null ? reset.password : reset.deletion.title),
    hasProblem: ({ problem, differs }) => problem !== null || differs,
    Content: Password,
  },
  'reset-done': {
    title: ({ done }, { reset }) => (done === 'password' ? reset.done : reset.deletion.done),
    Content: Done,
  },
  'reset-unavailable': { title: (_view, { reset }) => reset.unavailable, Content: Unavailable },
}

function Ask({ view }: { view: ResetView }) {
  const { reset: t } = useTexts()
  const { action, csrf, notice, problem, retryAfterSeconds, typed } = view
  const fieldProblem = problem === null || problem === 'too_often' ? null : t.problems[problem]
  return (
    <>
      {notice !== null && problem === null && <Notice kind="warning">{t.notices[notice]}</Notice>}
      {fieldProblem && <Problem fields={[{ name: 'username', text: fieldProblem }]} />}
      {problem === 'too_often' && <TooManyMails seconds={retryAfterSeconds} />}
      <p>{t.lead}</p>
      <Form action={action} csrf={csrf}>
        <Field
          name="username"
          label={t.field}
          autocomplete="username"
          value={typed}
          problem={fieldProblem}
          hasFocus={problem !== 'too_often'}
        />
        <Actions>
          <Button>{t.sendMail}</Button>
        </Actions>
      </Form>
      <p>
        {t.remembered} <a href="/signin">{t.signIn}</a>
      </p>
    </>
  )
}

function LookForMail({ view }: { view: ResetMailboxView }) {
  const { reset: t } = useTexts()
  const other = { href: '/reset', text: t.other }
  return (
    <Mailbox view={view} hint={t.noMailHint} resent={t.sentAgain} other={other}>
      <p>
        {t.askedFor} <strong>{view.typed}</strong>. {t.ifAccount}
      </p>
      <p>
        {t.countsUntil} <Time at={view.linkUntil} />, {t.codeHere}
      </p>
    </Mailbox>
  )
}

function Factor({ view }: { view: ResetFactorView }) {
  const { common, passkeys, reset: t } = useTexts()
  const { action, csrf, kinds, notice, passkey, problem, retryAfterSeconds, username } = view
  const isOfPasskey = problem === 'passkey'
  const wrong = problem === null ? null : isOfPasskey ? passkeys.refused : t.factorProblems[problem]
  const isThrottled = problem === 'throttled'
  return (
    <>
      {wrong !== null && (
        <Problem isFieldFocused={!isThrottled && !isOfPasskey}>
          <p>
            {wrong} {isThrottled && common.tryAgainIn(retryAfterSeconds ?? 0)}
          </p>
        </Problem>
      )}
      {notice !== null && problem === null && <Notice>{t.before[notice]}</Notice>}
      <p>{t.factorText(username)}</p>
      {passkey && (
        <PasskeyForm {...{ action, csrf }} options={passkey} ceremony="get" label={passkeys.use} />
      )}
      <Form action={action} csrf={csrf}>
        <FactorFields
          isWrong={wrong !== null && !isOfPasskey}
          hasFocus={!isThrottled && !isOfPasskey}
          kinds={kinds}
        />
      </Form>
    </>
  )
}

function Password({ view }: { view: ResetPasswordView }) {
  const { common, passwordProblem, reset: t } = useTexts()
  const { action, csrf, deletion, differs, minLength, notice, problem, username } = view
  const wrong = problem && passwordProblem(problem)
  const different = differs ? common.passwordsDiffer : null
  const fields = [
    ...(wrong ? [{ name: 'new_password', text: wrong }] : []),
    ...(different ? [{ name: 'new_password_again', text: different }] : []),
  ]
  return (
    <>
      {fields.length > 0 && <Problem fields={fields} />}
      {notice !== null && fields.length === 0 && <Notice>{t.before[notice]}</Notice>}
      <DefinitionList rows={[[t.account, <strong key="account">{username}</strong>]]} />
      <p>
        {deletion !== null && t.deletion.text} {t.passwordText}{' '}
        {notice === null && deletion === null && t.notYou}
      </p>
      <Form action={action} csrf={csrf}>
        <NewPasswordFields
          minLength={minLength}
          username={username}
          problem={wrong}
          repeatProblem={different}
          hasFocus
        />
        <Actions>
          <Button>{t.save}</Button>
        </Actions>
      </Form>
      {deletion === 'password_optional' && (
        <Form action={action} csrf={csrf}>
          <p>{t.deletion.passwordOptional}</p>
          <Actions>
            <Button name="keep" value="yes" kind="quiet">
              {t.deletion.keep}
            </Button>
          </Actions>
        </Form>
      )}
    </>
  )
}

function Done({ view: { done, username } }: { view: ResetDoneView }) {
  const { reset: t } = useTexts()
  return (
    <>
      {done !== 'password' && <p>{t.deletion.doneText(username)}</p>}
      {done !== 'deletion' && <p>{t.doneText(username)}</p>}
      <Actions>
        <LinkButton href="/signin">{t.signIn}</LinkButton>
      </Actions>
    </>
  )
}

function Unavailable() {
  const { common, reset: t } = useTexts()
  return (
    <>
      <p>{t.unavailableText}</p>
      <Actions>
        <LinkButton href="/signin">{t.signIn}</LinkButton>
        <LinkButton href="/" kind="quiet">
          {common.startPage}
        </LinkButton>
      </Actions>
    </>
  )
}
