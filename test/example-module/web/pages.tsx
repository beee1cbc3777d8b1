import {
  Actions,
  Button,
  CopyButton,
  LinkButton,
  PrintButton,
} from '../../../web/components/button.tsx'
import { DefinitionList, Time } from '../../../web/components/data.tsx'
import { QrCode } from '../../../web/components/enrolment.tsx'
import { Field } from '../../../web/components/field.tsx'
import { Form } from '../../../web/components/form.tsx'
import { Notice } from '../../../web/components/messages.tsx'
import { useFrame, useTexts } from '../../../web/context.ts'
import { Back, Outcome } from '../../../web/pages/own-account/outcome.tsx'
import type { PagesOf } from '../../../web/pages/page.ts'
import { Wrong } from '../../../web/pages/sign-in/parts.tsx'
import type { BadgeSignInView, BadgeView, BadgeViews, NewBadgeView } from '../views.ts'

const path = '/account/badge'

export const pages: PagesOf<BadgeViews> = {
  'sign-in-badge': {
    title: (_view, { badge }) => badge.signIn,
    hasProblem: ({ problem }) => problem !== null,
    Content: SignIn,
  },
  'account-badge': { title: (_view, { badge }) => badge.title, Content: Badge },
  'account-new-badge': { title: (_view, { badge }) => badge.newTitle, Content: NewBadge },
}

/** The script of the folder reads the badge from the address; without scripts it is typed. */
function SignIn({ view }: { view: BadgeSignInView }) {
  const { badge: t, signIn } = useTexts()
  const { files } = useFrame()
  const { problem, username } = view
  const isWrong = problem === 'wrong'
  return (
    <div data-badge={t.read}>
      <p>{t.lead}</p>
      <Wrong text={problem && t.problems[problem]} form={view} />
      <p class="hint" role="status" />
      <Form action={view.action} csrf={view.csrf} hidden={{ by: 'badge' }}>
        <Field
          name="username"
          label={signIn.usernameOrEmail}
          autocomplete="username"
          value={username}
          isWrong={isWrong}
          hasFocus={username === ''}
        />
        <Field
          name="badge"
          label={t.words}
          autocomplete="off"
          isWrong={isWrong}
          hasFocus={username !== ''}
        />
        <Actions>
          <Button>{signIn.submit}</Button>
          <a href={view.begin}>{t.withPassword}</a>
        </Actions>
      </Form>
      <script type="module" src={files.scriptOf('notes')} />
    </div>
  )
}

function Badge({ view }: { view: BadgeView }) {
  const t = useTexts().badge
  const { csrf, since } = view
  return (
    <>
      <Outcome {...view} />
      <p>{t.explanation}</p>
      {since !== null && (
        <>
          <p>
            {t.since} <Time at={since} />
          </p>
          <Form action={`${path}/remove`} csrf={csrf}>
            <Actions>
              <Button kind="danger">{t.remove}</Button>
            </Actions>
          </Form>
        </>
      )}
      <Form action={`${path}/make`} csrf={csrf}>
        {since !== null && <p class="hint">{t.makeHint}</p>}
        <Actions>
          <Button>{t.make}</Button>
        </Actions>
      </Form>
      <Back />
    </>
  )
}

/** The badge, shown once. */
function NewBadge({ view: { link, qr, username, words } }: { view: NewBadgeView }) {
  const t = useTexts().badge
  return (
    <>
      <Notice kind="warning">
        <p>{t.shownOnce}</p>
      </Notice>
      <DefinitionList rows={[[t.username, username]]} />
      <p>
        {t.words}: <code id="words">{words}</code> <CopyButton from="words" />
      </p>
      <QrCode svg={qr} label={t.qr} />
      <p>
        {t.link}: <code>{link}</code>
      </p>
      <Actions>
        <PrintButton />
        <LinkButton href={path}>{t.keptIt}</LinkButton>
      </Actions>
    </>
  )
}
