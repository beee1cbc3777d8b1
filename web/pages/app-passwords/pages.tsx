import type {
  AppPasswordsView,
  AppPasswordsViews,
  NewAppPasswordView,
} from '../../../src/extras/app-passwords/views.ts'
import { Actions, Button, CopyButton, LinkButton } from '../../components/button.tsx'
import { DefinitionList, Table, Time } from '../../components/data.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/messages.tsx'
import { useTexts } from '../../context.ts'
import { Back, Outcome, problemAt } from '../own-account/outcome.tsx'
import type { PagesOf } from '../page.ts'

const path = '/account/app-passwords'

export const pages: PagesOf<AppPasswordsViews> = {
  'account-app-passwords': {
    title: (_view, { appPasswords }) => appPasswords.title,
    hasProblem: ({ problem }) => problem !== null,
    isWide: true,
    Content: AppPasswords,
  },
  'account-new-app-password': {
    title: (_view, { appPasswords }) => appPasswords.newTitle,
    Content: NewAppPassword,
  },
}

/** The app passwords of a person, and a form for a new one. */
function AppPasswords({ view }: { view: AppPasswordsView }) {
  const texts = useTexts()
  const { appPasswords: t } = texts
  const { csrf, keys, problem } = view
  return (
    <>
      <Outcome {...view} />
      <p>{t.explanation}</p>
      {keys.length === 0 ? (
        <p>{t.none}</p>
      ) : (
        <Table
          caption={t.title}
          head={[t.name, t.made, t.ends, t.lastUsed, t.action]}
          rows={keys.map(({ id, name, createdAt, expiresAt, lastUsedAt }) => [
            <bdi key="name">{name}</bdi>,
            <Time key="made" at={createdAt} format="date" />,
            <Time key="ends" at={expiresAt} format="date" />,
            lastUsedAt === null ? t.never : <Time key="used" at={lastUsedAt} />,
            <Form key="revoke" action={`${path}/revoke`} csrf={csrf} hidden={{ key: id }}>
              <Button kind="quiet" label={t.revokeOf(name)}>
                {t.revoke}
              </Button>
            </Form>,
          ])}
        />
      )}
      <Form action={`${path}/create`} csrf={csrf}>
        <Field
          name="name"
          label={t.name}
          hint={t.nameHint}
          autocomplete="off"
          problem={problemAt(problem, 'name', texts)}
          hasFocus={problem?.field === 'name'}
        />
        <Actions>
          <Button>{t.create}</Button>
        </Actions>
      </Form>
      <Back />
    </>
  )
}

/** The text of a new app password, shown once. */
function NewAppPassword({ view: { key, name, username } }: { view: NewAppPasswordView }) {
  const t = useTexts().appPasswords
  return (
    <>
      <Notice kind="warning">
        <p>{t.shownOnce}</p>
      </Notice>
      <DefinitionList
        rows={[
          [t.name, name],
          [t.username, username],
        ]}
      />
      <p>
        {t.key}: <code id="key">{key}</code> <CopyButton from="key" />
      </p>
      <Actions>
        <LinkButton href={path}>{t.keptIt}</LinkButton>
      </Actions>
    </>
  )
}
