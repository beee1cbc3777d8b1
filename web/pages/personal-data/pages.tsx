import type {
  AccountDataView,
  AccountDeletedView,
  AccountDeletionView,
  OwnDataViews,
} from '../../../src/extras/personal-data/views.ts'
import { Actions, Button, LinkButton } from '../../components/button.tsx'
import { Time } from '../../components/data.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/messages.tsx'
import { useTexts } from '../../context.ts'
import { Back, Outcome, problemAt } from '../own-account/outcome.tsx'
import type { PagesOf } from '../page.ts'

export const pages: PagesOf<OwnDataViews> = {
  'account-data': { title: (_view, { ownData }) => ownData.dataTitle, Content: Data },
  'account-delete': {
    title: (_view, { ownData }) => ownData.deletionTitle,
    hasProblem: ({ problem }) => problem !== null,
    Content: Deletion,
  },
  'account-deleted': {
    title: ({ deletionAt }, { ownData }) =>
      deletionAt === null ? ownData.deletedTitle : ownData.deletionRequestedTitle,
    Content: Deleted,
  },
}

/** A copy of all data, as a file. */
function Data({ view: { file } }: { view: AccountDataView }) {
  const t = useTexts().ownData
  return (
    <>
      <p>{t.dataExplanation}</p>
      <Actions>
        <LinkButton href={file}>{t.download}</LinkButton>
      </Actions>
      <Back />
    </>
  )
}

/** The end of the account: its username must be typed. */
function Deletion({ view }: { view: AccountDeletionView }) {
  const texts = useTexts()
  const { common, ownData: t } = texts
  return (
    <>
      <Outcome {...view} />
      {view.days === 0 ? (
        <Notice kind="warning">{t.deletionWarning}</Notice>
      ) : (
        <p>{t.deletionWaits(view.days)}</p>
      )}
      <p>{t.deletionExplanation(view.days)}</p>
      <Form action="/account/delete" csrf={view.csrf}>
        <Field
          name="username"
          label={common.username}
          autocomplete="off"
          hint={t.deletionHint}
          problem={problemAt(view.problem, 'username', texts)}
          hasFocus={view.problem?.field !== null}
        />
        <Actions>
          <Button kind="danger">{view.days === 0 ? t.deleteAccount : t.deleteLater}</Button>
        </Actions>
      </Form>
      <Back />
    </>
  )
}

/** The account is gone, or waits to be erased. */
function Deleted({ view: { deletionAt } }: { view: AccountDeletedView }) {
  const { ownData: t } = useTexts()
  if (deletionAt === null) return <p>{t.deleted}</p>
  return (
    <>
      <p>
        {t.deletionRequested} <Time at={deletionAt} />.
      </p>
      <p>{t.deletionLink}</p>
    </>
  )
}
