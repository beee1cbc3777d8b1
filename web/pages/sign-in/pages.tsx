import type {
  ArrivalView,
  EnrolmentView,
  FactorView,
  NewPasswordView,
  ProviderSignOutView,
  RecoveryCodesView,
  SignInView,
  SignInViews,
  SignOutView,
} from '../../../src/modules/pages/sign-in/views.ts'
import { Actions, Button, CopyButton, LinkButton, PrintButton } from '../../components/button.tsx'
import { Captcha } from '../../components/captcha.tsx'
import { CodeField } from '../../components/code-field.tsx'
import { QrCode } from '../../components/enrolment.tsx'
import { FactorFields } from '../../components/factor-fields.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/messages.tsx'
import { NewPasswordFields } from '../../components/new-password-fields.tsx'
import { PasskeyForm } from '../../components/passkey-form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { TickBox } from '../../components/tick-box.tsx'
import { useTexts } from '../../context.ts'
import type { Texts } from '../../languages/languages.ts'
import type { PagesOf } from '../page.ts'
import { partOf, type SignInPart } from './part.ts'
import { Anew, Wrong } from './parts.tsx'

const hasProblem = ({ problem }: { readonly problem: unknown }) => problem !== null

export const pages: PagesOf<SignInViews> = {
  'sign-in': {
    title: ({ isAgain }, { signIn }) => (isAgain ? signIn.again.title : signIn.title),
    hasProblem,
    Content: SignIn,
  },
  'sign-in-arrival': {
    title: (_view, { signIn }) => signIn.arrival.title,
    refresh: ({ path }) => path,
    Content: Arrival,
  },
  'sign-in-second-factor': {
    title: (_view, { federation }) => federation.secondFactor.title,
    hasProblem,
    Content: SecondFactor,
  },
  'sign-in-new-password': {
    title: (_view, { signIn }) => signIn.newPassword.title,
    hasProblem,
    Content: NewPassword,
  },
  'sign-in-enrolment': {
    title: (_view, { signIn }) => signIn.enrolment.title,
    hasProblem,
    Content: Enrolment,
  },
  'sign-in-recovery-codes': {
    title: (_view, { signIn }) => signIn.recoveryCodes.title,
    Content: RecoveryCodes,
  },
  'sign-out': {
    title: ({ form }, { signIn }) => (form ? signIn.signOut.title : signIn.signOut.doneTitle),
    Content: SignOut,
  },
  'sign-out-provider': {
    title: ({ provider }, { signIn }) => signIn.signOut.providerTitle(provider),
    Content: ProviderSignOut,
  },
}

function SignIn({ view }: { view: SignInView }) {
  const { common, passkeys, signIn: t } = useTexts()
  const { links, problem, username, isAgain, providers } = view
  const linksAt = (place: SignInPart['place']) =>
    links.flatMap(({ name, href }) => {
      const { Link, place: own } = partOf(name)
      return own === place ? [<Link key={name} href={href} />] : []
    })
  const otherWays = linksAt('other ways')
  const isWrong = problem === 'wrong' || problem === 'missing'
  const hasName = isAgain || username !== ''
  return (
    <>
      {isAgain && <p>{t.again.lead}</p>}
      {problem === 'ended' ? (
        <Notice kind="plain">
          <p>{t.problems.ended}</p>
        </Notice>
      ) : (
        <Wrong
          text={problem && (problem === 'passkey' ? passkeys.refused : t.problems[problem])}
          form={view}
        />
      )}
      <Form action={view.action} csrf={view.csrf}>
        <Field
          name="username"
          label={isAgain ? common.username : t.usernameOrEmail}
          autocomplete={view.passkey ? 'username webauthn' : 'username'}
          value={username}
          isReadOnly={isAgain}
          isWrong={isWrong}
          hasFocus={!hasName}
        />
        <PasswordField
          name="password"
          label={common.password}
          autocomplete="current-password"
          isWrong={isWrong}
          hasFocus={hasName}
        />
        {view.keepDays !== null && (
          <TickBox
            name="keep_signed_in"
            label={t.keepSignedIn(view.keepDays)}
            isTicked={view.isKeepChosen}
          />
        )}
        {view.hasCaptcha && <Captcha />}
        <Actions>
          <Button>{t.submit}</Button>
          {linksAt('button')}
        </Actions>
      </Form>
      {view.passkey && (
        <PasskeyForm
          action={view.action}
          csrf={view.csrf}
          options={view.passkey}
          ceremony="get"
          isOfferedInField={problem === null}
          label={passkeys.signIn}
          kind="quiet"
        />
      )}
      {(providers.length > 0 || otherWays.length > 0) && (
        <>
          <h2>{t.otherWays}</h2>
          <Actions>
            {otherWays}
            {providers.map(({ href, label }) => (
              <LinkButton key={href} href={href} kind="quiet">
                {t.withProvider(label)}
              </LinkButton>
            ))}
          </Actions>
        </>
      )}
      {linksAt('end')}
    </>
  )
}

function Arrival({ view: { path } }: { view: ArrivalView }) {
  const { common, signIn } = useTexts()
  return (
    <>
      <p>{signIn.arrival.text}</p>
      <Actions>
        <LinkButton href={path}>{common.goOn}</LinkButton>
      </Actions>
    </>
  )
}

function SecondFactor({ view }: { view: FactorView }) {
  const { federation, passkeys, signIn } = useTexts()
  const t = federation.secondFactor
  const wrong = useProblemOf(view)
  const isCodeWrong = wrong !== null && view.problem !== 'passkey'
  return (
    <>
      <Wrong text={wrong} form={view} isFieldFocused={isCodeWrong} />
      {view.passkey && (
        <>
          <PasskeyForm
            action={view.action}
            csrf={view.csrf}
            options={view.passkey}
            ceremony="get"
            label={passkeys.use}
          />
          <h2>{passkeys.or}</h2>
        </>
      )}
      <p>{factorText(view.kinds, t)}</p>
      <Form action={view.action} csrf={view.csrf}>
        <FactorFields isWrong={isCodeWrong} hasFocus={view.passkey === null} kinds={view.kinds}>
          {view.rememberDays !== null && (
            <TickBox
              name="remember_device"
              label={signIn.rememberDevice(view.rememberDays)}
              isTicked={view.isRememberChosen}
            />
          )}
        </FactorFields>
      </Form>
      <Anew form={view} />
    </>
  )
}

function factorText(kinds: readonly string[], t: Texts['federation']['secondFactor']): string {
  if (kinds.length === 0) return t.textOfRecoveryCode
  return kinds.every((kind) => kind === 'totp') ? t.text : t.textOfSeveral
}

function useProblemOf({ problem }: Pick<FactorView, 'problem'>): string | null {
  const { federation, passkeys, signIn } = useTexts()
  if (problem === null) return null
  if (problem === 'throttled') return signIn.problems.throttledCode
  return problem === 'passkey' ? passkeys.refused : federation.secondFactor[problem]
}

function NewPassword({ view }: { view: NewPasswordView }) {
  const { common, passwordProblem, signIn } = useTexts()
  const t = signIn.newPassword
  const { problem, minLength, username } = view
  const wrong = problem && typeof problem !== 'string' ? passwordProblem(problem) : null
  const different = problem === 'differs' ? common.passwordsDiffer : null
  const text = problem === 'throttled' ? signIn.problems.throttled : (wrong ?? different)
  return (
    <>
      <p>{t.lead}</p>
      <Wrong text={text} form={view} />
      <Form action={view.action} csrf={view.csrf}>
        <NewPasswordFields
          minLength={minLength}
          username={username}
          problem={wrong}
          repeatProblem={different}
          hasFocus
        />
        <Actions>
          <Button>{t.submit}</Button>
        </Actions>
      </Form>
      <Anew form={view} />
    </>
  )
}

function Enrolment({ view }: { view: EnrolmentView }) {
  const { common, passkeys, signIn } = useTexts()
  const t = signIn.enrolment
  const { passkey, problem, secret, qr } = view
  const wrong = useProblemOf(view)
  const isCodeWrong = wrong !== null && problem !== 'passkey'
  return (
    <>
      <p>{t.lead}</p>
      <Wrong text={wrong} form={view} isFieldFocused={isCodeWrong} />
      {passkey && (
        <PasskeyForm
          action={view.action}
          csrf={view.csrf}
          options={passkey}
          ceremony="create"
          label={passkeys.use}
          kind="quiet"
        >
          <p>{t.passkey}</p>
        </PasskeyForm>
      )}
      <h2>{t.scan}</h2>
      <QrCode svg={qr} />
      <p>
        {t.orType}
        <code id="secret">{inGroups(secret)}</code>
        <CopyButton from="secret" />
      </p>
      <h2>{t.thenCode}</h2>
      <Form action={view.action} csrf={view.csrf}>
        <CodeField
          name="totp"
          label={common.codeOfApp}
          hint={common.sixDigits}
          isWrong={isCodeWrong}
          hasFocus={problem !== 'passkey'}
        />
        <Actions>
          <Button>{common.verify}</Button>
        </Actions>
      </Form>
      <Anew form={view} />
    </>
  )
}

/** Four letters at a time, as apps show them. */
function inGroups(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ')
}

function RecoveryCodes({ view }: { view: RecoveryCodesView }) {
  const { signIn } = useTexts()
  const t = signIn.recoveryCodes
  return (
    <>
      <p>{t.lead}</p>
      <ul class="codes" id="codes">
        {view.codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Actions>
        <CopyButton from="codes" />
        <PrintButton />
      </Actions>
      <Form action={view.action} csrf={view.csrf}>
        <Actions>
          <Button>{t.submit}</Button>
        </Actions>
      </Form>
    </>
  )
}

function SignOut({ view: { back, form, isDone, providers } }: { view: SignOutView }) {
  const { common, signIn } = useTexts()
  const t = signIn.signOut
  return (
    <>
      {form ? (
        <Form action={form.action} csrf={form.csrf}>
          <p>{t.lead(form.username)}</p>
          <Actions>
            <Button>{common.signOut}</Button>
            <a href={back?.href ?? '/account'}>{common.cancel}</a>
          </Actions>
        </Form>
      ) : (
        <>
          <p>{isDone ? t.done : t.notSignedIn}</p>
          <Actions>
            {back && <LinkButton href={back.href}>{t.backTo(back.host)}</LinkButton>}
            <LinkButton href="/signin" kind="quiet">
              {signIn.title}
            </LinkButton>
          </Actions>
        </>
      )}
      {providers.length > 0 && (
        <>
          <h2>{t.shared}</h2>
          <ul>
            {providers.map(({ href, label }) => (
              <li key={href}>
                <a href={href}>{t.provider(label)}</a>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function ProviderSignOut({ view: { action, session, provider } }: { view: ProviderSignOutView }) {
  const { common, signIn } = useTexts()
  const t = signIn.signOut
  return (
    <Form action={action} {...(session && { csrf: session.csrf })}>
      <p>{session ? t.hereAndThere(session.username, provider) : t.there(provider)}</p>
      <Actions>
        <Button>{common.signOut}</Button>
        <a href="/">{common.cancel}</a>
      </Actions>
    </Form>
  )
}
