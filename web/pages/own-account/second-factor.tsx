import type {
  AccountViews,
  EnrolmentView,
  NewCodesView,
  RenewCodesView,
  SecondFactorStateView,
} from '../../../src/extras/own-account/pages/views.ts'
import { Actions, Button, CopyButton, LinkButton, PrintButton } from '../../components/button.tsx'
import { CodeField } from '../../components/code-field.tsx'
import { QrCode } from '../../components/enrolment.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/messages.tsx'
import { useTexts } from '../../context.ts'
import { Back, Outcome, problemAt } from './outcome.tsx'

/** Whether the factor is on; turns it on, or moves it to another app. */
export function SecondFactorState({ view }: { view: SecondFactorStateView }) {
  const t = useTexts().account
  const { csrf, hasOther, isOn } = view
  return (
    <>
      <Outcome {...view} />
      <p>{isOn ? t.factorOn : hasOther ? t.appOff : t.factorOff}</p>
      {isOn && <h2>{t.replace}</h2>}
      <p>{isOn ? t.replaceExplanation : t.setUpExplanation}</p>
      <Form action="/account/second-factor/set-up" csrf={csrf}>
        <Actions>
          <Button>{isOn ? t.replaceAction : t.setUp}</Button>
        </Actions>
      </Form>
      {(isOn || hasOther) && (
        <p>
          <a href="/account/recovery-codes">{t.renewLink}</a>
        </p>
      )}
      {isOn && (
        <p>
          <a href="/account/second-factor/remove">{t.remove}</a>
        </p>
      )}
      <Back />
    </>
  )
}

/** The secret of a new factor, and its first code. */
export function Enrolment({ view }: { view: EnrolmentView }) {
  const texts = useTexts()
  const { account: t, common } = texts
  const { csrf, flow, problem, qr, secret } = view
  return (
    <>
      <Outcome {...view} />
      <ol>
        {t.enrolmentSteps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <QrCode svg={qr} />
      <p>
        {t.typedSecret}:<code id="secret">{secret.replace(/.{4}(?=.)/g, '$& ')}</code>
        <CopyButton from="secret" />
      </p>
      <Form action={`/account/second-factor/confirm?flow=${flow}`} csrf={csrf}>
        <CodeField
          name="totp"
          label={common.codeOfApp}
          hint={common.sixDigits}
          problem={problemAt(problem, 'totp', texts)}
          hasFocus={!problem || problem.field === 'totp'}
        />
        <p class="hint">{t.afterConfirm}</p>
        <Actions>
          <Button>{t.confirm}</Button>
        </Actions>
      </Form>
      <p>
        <a href="/account/second-factor">{common.cancel}</a>
      </p>
    </>
  )
}

/** Removes the factor. */
export function RemoveFactor({ view }: { view: AccountViews['account-remove-factor'] }) {
  const { account: t, common } = useTexts()
  return (
    <>
      <Outcome {...view} />
      <p>{t.removeExplanation}</p>
      <Form action="/account/second-factor/remove" csrf={view.csrf}>
        <Actions>
          <Button kind="danger">{t.removeAction}</Button>
        </Actions>
      </Form>
      <p>
        <a href="/account/second-factor">{common.cancel}</a>
      </p>
    </>
  )
}

/** Replaces the recovery codes. */
export function RenewCodes({ view }: { view: RenewCodesView }) {
  const t = useTexts().account
  if (!view.isOn) {
    return (
      <>
        <p>{t.codesNeedFactor}</p>
        <p>
          <a href="/account/second-factor">{t.setUp}</a>
        </p>
        <Back />
      </>
    )
  }
  return (
    <>
      <Outcome {...view} />
      <p>{t.codesExplanation}</p>
      <Form action="/account/recovery-codes" csrf={view.csrf}>
        <Actions>
          <Button>{t.renewCodes}</Button>
        </Actions>
      </Form>
      <Back />
    </>
  )
}

/** The recovery codes, which no other page shows. */
export function NewCodes({ view: { codes, isFirst } }: { view: NewCodesView }) {
  const t = useTexts().account
  return (
    <>
      {isFirst && (
        <Notice>
          <p>{t.factorIsOn}</p>
        </Notice>
      )}
      <Notice kind="warning">
        <p>{t.shownOnce}</p>
      </Notice>
      <ul id="codes" class="codes" aria-label={t.codesList}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Actions>
        <CopyButton from="codes" />
        <PrintButton />
        <LinkButton href="/account">{t.keptThem}</LinkButton>
      </Actions>
    </>
  )
}
