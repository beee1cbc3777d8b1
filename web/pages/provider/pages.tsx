import type {
  AccountChoiceView,
  ApplicationsView,
  ConsentView,
  DeviceDecisionView,
  DeviceDoneView,
  DeviceView,
  ProblemView,
  ProviderViews,
  RefusedView,
  SignOutView,
} from '../../../src/extras/provider/views.ts'
import { Actions, Button, LinkButton } from '../../components/button.tsx'
import { Table, Time } from '../../components/data.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/messages.tsx'
import { useTexts } from '../../context.ts'
import type { Texts } from '../../languages/languages.ts'
import { Back, Outcome } from '../own-account/outcome.tsx'
import type { PagesOf } from '../page.ts'

const path = '/account/applications'

export const pages: PagesOf<ProviderViews> = {
  'provider-consent': {
    title: ({ application }, { provider }) => provider.consentTitle(application),
    Content: Consent,
  },
  'provider-account': {
    title: ({ application }, { provider }) => provider.accountTitle(application),
    Content: AccountChoice,
  },
  'provider-refused': {
    title: ({ application }, { provider }) => provider.refusedTitle(application),
    Content: Refused,
  },
  'provider-problem': { title: (_view, { provider }) => provider.problemTitle, Content: Problem },
  'provider-sign-out': { title: (_view, { provider }) => provider.signOutTitle, Content: SignOut },
  'provider-device': {
    title: (_view, { provider }) => provider.deviceTitle,
    hasProblem: ({ isWrong }) => isWrong,
    Content: Device,
  },
  'provider-device-decision': {
    title: ({ application }, { provider }) => provider.deviceDecisionTitle(application),
    Content: DeviceDecision,
  },
  'provider-device-done': {
    title: ({ isGiven }, { provider }) => (isGiven ? provider.deviceDone : provider.deviceRefused),
    Content: DeviceDone,
  },
  'account-applications': {
    title: (_view, { provider }) => provider.title,
    isWide: true,
    Content: Applications,
  },
}

/** Each once: two scopes can give the same. */
function wordsOf(scopes: readonly string[], { provider }: Texts): string[] {
  const known: Readonly<Record<string, string>> = provider.scopes
  return [...new Set(scopes.map((scope) => known[scope] ?? provider.otherScope(scope)))]
}

/** What an application asks for; nothing is given before the person allows it. */
function Consent({ view }: { view: ConsentView }) {
  const texts = useTexts()
  const { provider: t } = texts
  const { action, application, csrf, homeUri, lacksEmail, operator, scopes, username } = view
  const { returnsTo } = view
  return (
    <>
      <p>
        {t.signedInAs} <b>{username}</b>. {operator !== null && t.runBy(operator)}
      </p>
      {lacksEmail && (
        <Notice kind="warning">
          <p>{t.lacksEmail(application)}</p>
          <p>
            <a href="/account">{t.toEmail}</a>
          </p>
        </Notice>
      )}
      <p>{t.wants(application)}</p>
      <ul>
        {wordsOf(scopes, texts).map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      {returnsTo !== null && (
        <p>
          {t.returnsTo} <b>{returnsTo}</b>
        </p>
      )}
      {homeUri !== null && (
        <p>
          <a href={homeUri} rel="noreferrer">
            {t.aboutIt}
          </a>
        </p>
      )}
      <div class="actions">
        <Form action={action} csrf={csrf} hidden={{ decision: 'allow' }}>
          <Button>{t.allow}</Button>
        </Form>
        <Form action={action} csrf={csrf} hidden={{ decision: 'deny' }}>
          <Button kind="quiet">{t.deny}</Button>
        </Form>
      </div>
    </>
  )
}

/** Who goes on to the application. */
function AccountChoice({ view }: { view: AccountChoiceView }) {
  const { provider: t } = useTexts()
  const { action, csrf, username } = view
  return (
    <>
      <p>
        {t.signedInAs} <b>{username}</b>.
      </p>
      <Form action={action} csrf={csrf} hidden={{ decision: 'allow' }}>
        <Actions>
          <Button>{t.goOnAs(username)}</Button>
        </Actions>
      </Form>
      <p>{t.otherAccountEnds}</p>
      <Form action={action} csrf={csrf} hidden={{ decision: 'other' }}>
        <Actions>
          <Button kind="quiet">{t.otherAccount}</Button>
        </Actions>
      </Form>
      <Form action={action} csrf={csrf} hidden={{ decision: 'deny' }}>
        <Actions>
          <Button kind="quiet">{t.back}</Button>
        </Actions>
      </Form>
    </>
  )
}

/** The application is for others. */
function Refused({ view }: { view: RefusedView }) {
  const { provider: t } = useTexts()
  const { action, application, csrf, operator, username } = view
  return (
    <>
      <p>{t.refused(application, username)}</p>
      {operator !== null && <p>{t.runBy(operator)}</p>}
      <Form action={action} csrf={csrf} hidden={{ decision: 'deny' }}>
        <Actions>
          <Button>{t.back}</Button>
        </Actions>
      </Form>
    </>
  )
}

/** A request that has no answer for the application. */
function Problem({ view: { description, error, requestId } }: { view: ProblemView }) {
  const { common, provider: t } = useTexts()
  return (
    <>
      <p>{t.problem}</p>
      <p class="muted">
        {t.problemIs}{' '}
        <span lang="en">
          {error}
          {description !== null && `: ${description}`}.
        </span>{' '}
        {common.forQuestions(requestId)}
      </p>
    </>
  )
}

/** An application asks for the sign-out. */
function SignOut({ view }: { view: SignOutView }) {
  const { provider: t } = useTexts()
  const { action, application, csrf, username } = view
  return (
    <>
      <p>
        {application !== null && t.signOutOf(application)} {t.signOut(username)}
      </p>
      <p>{t.signOutEnds}</p>
      <Form action={action} csrf={csrf}>
        <Actions>
          <Button>{t.signOutNow}</Button>
          <LinkButton href="/" kind="quiet">
            {t.stay}
          </LinkButton>
        </Actions>
      </Form>
    </>
  )
}

/** The code of a device. */
function Device({ view: { code, csrf, isWrong } }: { view: DeviceView }) {
  const { provider: t } = useTexts()
  return (
    <>
      <p>{t.deviceLead}</p>
      <Form action="/device" csrf={csrf}>
        <Field
          name="user_code"
          label={t.deviceCode}
          autocomplete="off"
          value={code}
          problem={isWrong ? t.deviceWrong : null}
          hasFocus
        />
        <Actions>
          <Button>{t.deviceGoOn}</Button>
        </Actions>
      </Form>
    </>
  )
}

/** What a device asks for, and where it is. */
function DeviceDecision({ view }: { view: DeviceDecisionView }) {
  const texts = useTexts()
  const { provider: t } = texts
  const { address, application, code, csrf, isOpen, operator, scopes, username } = view
  const shown = `${code.slice(0, 4)}-${code.slice(4)}`
  return (
    <>
      <p>
        {t.signedInAs} <b>{username}</b>. {operator !== null && t.runBy(operator)}
      </p>
      {isOpen ? (
        <>
          <p>
            {t.deviceAsks(application)} <b>{shown}</b>. {t.deviceAt} <b>{address}</b>.
          </p>
          <p>{t.wants(application)}</p>
          <ul>
            {wordsOf(scopes, texts).map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
          <Form action="/device/decide" csrf={csrf} hidden={{ user_code: code, decision: 'allow' }}>
            <Actions>
              <Button>{t.allow}</Button>
            </Actions>
          </Form>
        </>
      ) : (
        <p>{t.refused(application, username)}</p>
      )}
      <Form action="/device/decide" csrf={csrf} hidden={{ user_code: code, decision: 'deny' }}>
        <Actions>
          <Button kind="quiet">{t.deny}</Button>
        </Actions>
      </Form>
    </>
  )
}

function DeviceDone({ view: { isGiven } }: { view: DeviceDoneView }) {
  const { provider: t } = useTexts()
  return <p>{isGiven ? t.deviceDoneLead : t.deviceRefusedLead}</p>
}

/** The applications of a person, each with the end of its access. */
function Applications({ view }: { view: ApplicationsView }) {
  const texts = useTexts()
  const { provider: t } = texts
  return (
    <>
      <Outcome {...view} />
      <p>{t.explanation}</p>
      {view.applications.length === 0 ? (
        <p>{t.none}</p>
      ) : (
        <Table
          caption={t.title}
          head={[t.name, t.has, t.since, t.action]}
          rows={view.applications.map(({ client, givenAt, homeUri, isOffline, name, scopes }) => [
            <bdi key="name">{homeUri === null ? name : <a href={homeUri}>{name}</a>}</bdi>,
            [
              ...(givenAt === null ? [t.noConsent] : []),
              ...wordsOf(
                scopes.filter((scope) => scope !== 'offline_access'),
                texts,
              ),
              ...(isOffline ? [t.isOffline] : []),
            ].join('; '),
            givenAt === null ? '' : <Time key="since" at={givenAt} format="date" />,
            <Form key="withdraw" action={`${path}/withdraw`} csrf={view.csrf} hidden={{ client }}>
              <Button kind="quiet" label={t.withdrawOf(name)}>
                {t.withdraw}
              </Button>
            </Form>,
          ])}
        />
      )}
      <Back />
    </>
  )
}
