import type {
  InvitationDeadLinkView,
  InvitationView,
  InvitationViews,
} from '../../../../src/extras/sign-up/pages/invitation/views.ts'
import { Actions, Button, LinkButton } from '../../../components/button.tsx'
import { Form } from '../../../components/form.tsx'
import { useFrame, useTexts } from '../../../context.ts'
import type { PagesOf } from '../../page.ts'
import { hasProblems, ProfileFields, ProfileProblem } from '../profile-fields.tsx'

export const pages: PagesOf<InvitationViews> = {
  invitation: {
    title: (_view, { invitation }) => invitation.title,
    hasProblem: ({ problems }) => hasProblems(problems),
    Content: Invitation,
  },
  'invitation-dead-link': {
    title: (_view, { invitation }) => invitation.deadLink,
    Content: DeadLink,
  },
}

function Invitation({ view }: { view: InvitationView }) {
  const { invitation: t } = useTexts()
  const { name } = useFrame()
  const { action, csrf, email, roles } = view
  return (
    <>
      <ProfileProblem {...view} />
      <p>
        {t.lead(name)} <strong>{email}</strong>. {t.choose}
      </p>
      {roles.length > 0 && (
        <>
          <p>{t.youMay}</p>
          <ul>
            {roles.map((role) => (
              <li key={role}>{t.roles[role as keyof typeof t.roles] ?? t.otherRole(role)}</li>
            ))}
          </ul>
        </>
      )}
      <p>{t.notYou}</p>
      <Form action={action} csrf={csrf}>
        <ProfileFields {...view} />
        <Actions>
          <Button>{t.accept}</Button>
        </Actions>
      </Form>
    </>
  )
}

function DeadLink({ view: { message, requestId } }: { view: InvitationDeadLinkView }) {
  const { common, invitation: t, signUp } = useTexts()
  return (
    <>
      <p>{t.deadLinkText}</p>
      <Actions>
        <LinkButton href="/signin">{signUp.signIn}</LinkButton>
        <LinkButton href="/" kind="quiet">
          {common.startPage}
        </LinkButton>
      </Actions>
      <p class="muted">
        <code lang="en">{message}</code> · {common.forQuestions(requestId)}
      </p>
    </>
  )
}
