import type { SessionsView } from '../../../src/extras/own-account/pages/views.ts'
import { Actions, Button } from '../../components/button.tsx'
import { Table, Time } from '../../components/data.tsx'
import { Form } from '../../components/form.tsx'
import { useTexts } from '../../context.ts'
import { deviceOf } from './device.ts'
import { Back, Outcome } from './outcome.tsx'

/** Where the person is signed in. */
export function Sessions({ view }: { view: SessionsView }) {
  const t = useTexts().account
  const { csrf, sessions } = view
  return (
    <>
      <Outcome {...view} />
      <p>{t.sessionsExplanation}</p>
      <Table
        caption={t.sessionsTitle}
        head={[t.device, t.address, t.signedInAt, t.lastSeen, t.action]}
        rows={sessions.map((session) => {
          const device = deviceOf(session, t)
          return [
            device,
            session.address,
            <Time key="created" at={session.createdAt} />,
            <Time key="seen" at={session.lastSeenAt} />,
            session.isCurrent ? (
              <strong>{t.thisSession}</strong>
            ) : (
              <Form action="/account/sessions/end" csrf={csrf} hidden={{ session: session.id }}>
                <Button kind="quiet" label={t.endSessionOf(device, session.address)}>
                  {t.endSession}
                </Button>
              </Form>
            ),
          ]
        })}
      />
      <Form action="/account/sessions/end-others" csrf={csrf}>
        <p class="hint">{t.endOthersExplanation}</p>
        <Actions>
          <Button kind="danger">{t.endOthers}</Button>
        </Actions>
      </Form>
      <Back />
    </>
  )
}
