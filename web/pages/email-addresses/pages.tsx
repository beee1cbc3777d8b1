import type {
  VerifyDoneView,
  VerifyNoLinkView,
  VerifyTakenView,
  VerifyView,
  VerifyViews,
} from '../../../src/extras/email-addresses/pages/views.ts'
import { Actions, Button, LinkButton } from '../../components/button.tsx'
import { DefinitionList } from '../../components/data.tsx'
import { Form } from '../../components/form.tsx'
import { useTexts } from '../../context.ts'
import type { PagesOf } from '../page.ts'
import { Email } from './own-email.tsx'

export const pages: PagesOf<VerifyViews> = {
  'account-email': {
    title: (_view, { ownEmail }) => ownEmail.emailTitle,
    hasProblem: ({ problem }) => problem !== null,
    Content: Email,
  },
  verify: { title: ({ what }, { verify }) => verify.title[what], Content: Confirm },
  'verify-done': { title: ({ what }, { verify }) => verify.done[what], Content: Done },
  'verify-taken': { title: (_view, { verify }) => verify.taken, Content: Taken },
  'verify-no-link': {
    title: ({ isInvalid }, { verify }) => (isInvalid ? verify.invalidLink : verify.noLink),
    Content: NoLink,
  },
}

function Confirm({ view }: { view: VerifyView }) {
  const { verify: t } = useTexts()
  const { action, address, csrf, username, what } = view
  return (
    <>
      <p>{t.text[what]}</p>
      <DefinitionList
        rows={[
          [t.address, <strong key="address">{address}</strong>],
          [t.account, username],
        ]}
      />
      <p>{t.notYou[what]}</p>
      <Form action={action} csrf={csrf}>
        <Actions>
          <Button>{t.confirm[what]}</Button>
        </Actions>
      </Form>
    </>
  )
}

function Done({ view: { address, what } }: { view: VerifyDoneView }) {
  const { verify: t } = useTexts()
  return (
    <>
      <p>
        {t.doneText[what]} <strong>{address}</strong>.
      </p>
      <Actions>
        {what === 'restored' ? (
          <LinkButton href="/reset">{t.newPassword}</LinkButton>
        ) : (
          <LinkButton href="/account">{t.goToAccount}</LinkButton>
        )}
      </Actions>
    </>
  )
}

function Taken({ view: { address } }: { view: VerifyTakenView }) {
  const { verify: t } = useTexts()
  return (
    <>
      <p>
        {t.takenText} <strong>{address}</strong>.
      </p>
      <Actions>
        <LinkButton href="/account">{t.goToAccount}</LinkButton>
      </Actions>
    </>
  )
}

function NoLink({ view: { isInvalid } }: { view: VerifyNoLinkView }) {
  const { verify: t } = useTexts()
  return (
    <>
      <p>{isInvalid ? t.invalidLinkText : t.noLinkText}</p>
      <Actions>
        <LinkButton href="/account">{t.goToAccount}</LinkButton>
      </Actions>
    </>
  )
}
