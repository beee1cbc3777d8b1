import type {
  NewPasskeyView,
  OnePasskeyView,
  PasskeyRow,
  PasskeysView,
  PasskeyViews,
} from '../../../../src/extras/own-account/pages/passkey-views.ts'
import { Actions, Button } from '../../../components/button.tsx'
import { Table, Time } from '../../../components/data.tsx'
import { Field } from '../../../components/field.tsx'
import { Form } from '../../../components/form.tsx'
import { PasskeyForm } from '../../../components/passkey-form.tsx'
import { useFrame, useTexts } from '../../../context.ts'
import type { PagesOf } from '../../page.ts'
import { Back, Outcome, problemAt } from '../outcome.tsx'

const hasProblem = ({ problem }: { readonly problem: unknown }) => problem !== null

export const pages: PagesOf<PasskeyViews> = {
  'account-passkeys': {
    title: (_view, { passkeys }) => passkeys.title,
    hasProblem,
    isWide: true,
    Content: Passkeys,
  },
  'account-new-passkey': {
    title: (_view, { passkeys }) => passkeys.addTitle,
    hasProblem,
    Content: NewPasskey,
  },
  'account-passkey': {
    title: (_view, { passkeys }) => passkeys.renameTitle,
    hasProblem,
    Content: Rename,
  },
  'account-remove-passkey': {
    title: (_view, { passkeys }) => passkeys.removeTitle,
    hasProblem,
    Content: Remove,
  },
}

/** The passkeys of the person. Signals the valid passkeys to the authenticators of the person. */
function Passkeys({ view }: { view: PasskeysView }) {
  const t = useTexts().passkeys
  const { files } = useFrame()
  const { csrf, isPossible, passkeys, signals } = view
  return (
    <>
      <Outcome {...view} />
      <p>{t.lead}</p>
      {passkeys.length === 0 ? (
        <p>{t.none}</p>
      ) : (
        <Table
          caption={t.title}
          head={[t.name, t.kind, t.added, t.lastUsed, t.action]}
          rows={passkeys.map(cellsOf)}
        />
      )}
      {isPossible ? (
        <Form action="/account/passkeys/add" csrf={csrf}>
          <p class="hint">{t.addExplanation}</p>
          <Actions>
            <Button>{t.add}</Button>
          </Actions>
        </Form>
      ) : (
        <p>{t.impossible}</p>
      )}
      {isPossible && (
        <>
          <div hidden data-known-passkeys={JSON.stringify(signals)} />
          <script type="module" src={files.scriptOf('passkeys')} />
        </>
      )}
      <Back />
    </>
  )

  function cellsOf({ id, name, isSynced, isUsable, createdAt, lastUsedAt }: PasskeyRow) {
    return [
      <bdi key="name">{name}</bdi>,
      isUsable ? (isSynced ? t.synced : t.bound) : t.unusable,
      <Time key="added" at={createdAt} format="date" />,
      lastUsedAt === null ? t.never : <Time key="used" at={lastUsedAt} />,
      <>
        <a href={`/account/passkeys/rename?id=${id}`} aria-label={t.renameOf(name)}>
          {t.rename}
        </a>
        {' · '}
        <a href={`/account/passkeys/remove?id=${id}`} aria-label={t.removeOf(name)}>
          {t.remove}
        </a>
      </>,
    ]
  }
}

function NewPasskey({ view }: { view: NewPasskeyView }) {
  const texts = useTexts()
  const { common, passkeys: t } = texts
  const { action, csrf, name, options, problem } = view
  return (
    <>
      <Outcome {...view} />
      <p>{t.lead}</p>
      <PasskeyForm
        {...{ action, csrf, options }}
        ceremony="create"
        label={t.create}
        withoutPasskeys={t.unsupported}
      >
        <Field
          name="name"
          label={t.name}
          hint={t.nameHint}
          autocomplete="off"
          value={name}
          isProse
          problem={problemAt(problem, 'name', texts)}
        />
      </PasskeyForm>
      <p>
        <a href="/account/passkeys">{common.cancel}</a>
      </p>
    </>
  )
}

function Rename({ view }: { view: OnePasskeyView }) {
  const texts = useTexts()
  const { common, passkeys: t } = texts
  return (
    <>
      <Outcome {...view} />
      <Form action="/account/passkeys/rename" csrf={view.csrf} hidden={{ id: view.id }}>
        <Field
          name="name"
          label={t.name}
          hint={t.nameHint}
          autocomplete="off"
          value={view.name}
          isProse
          problem={problemAt(view.problem, 'name', texts)}
          hasFocus={!view.problem || view.problem.field === 'name'}
        />
        <Actions>
          <Button>{t.save}</Button>
        </Actions>
      </Form>
      <p>
        <a href="/account/passkeys">{common.cancel}</a>
      </p>
    </>
  )
}

function Remove({ view }: { view: OnePasskeyView }) {
  const { common, passkeys: t } = useTexts()
  return (
    <>
      <Outcome {...view} />
      <p>{t.removeExplanation(view.name)}</p>
      <Form action="/account/passkeys/remove" csrf={view.csrf} hidden={{ id: view.id }}>
        <Actions>
          <Button kind="danger">{t.remove}</Button>
        </Actions>
      </Form>
      <p>
        <a href="/account/passkeys">{common.cancel}</a>
      </p>
    </>
  )
}
