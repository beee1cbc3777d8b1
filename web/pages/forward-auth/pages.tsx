import type {
  ForwardDeniedView,
  ForwardViews,
  RefusedTicketView,
} from '../../../src/extras/forward-auth/views.ts'
import { Actions, LinkButton } from '../../components/button.tsx'
import { useFrame, useTexts } from '../../context.ts'
import type { PagesOf } from '../page.ts'

/** Pages at the host of an application: their links name the service where they lead to it. */
export const pages: PagesOf<ForwardViews> = {
  'forward-denied': { title: (_view, { forward }) => forward.denied.title, Content: Denied },
  'forward-refused-ticket': {
    title: (_view, { forward }) => forward.refusedTicket.title,
    Content: RefusedTicket,
  },
}

function Denied({ view: { username, host, signOut, requestId } }: { view: ForwardDeniedView }) {
  const { common, forward } = useTexts()
  const { base } = useFrame()
  const t = forward.denied
  return (
    <>
      <p>{username === null ? t.unknown(host) : t.known(username, host)}</p>
      {username !== null && <p>{t.hint}</p>}
      <Actions>
        {username !== null && <LinkButton href={signOut}>{t.another}</LinkButton>}
        <LinkButton href={`${base}/account`} kind="quiet">
          {common.account}
        </LinkButton>
      </Actions>
      <p class="muted">{common.forQuestions(requestId)}</p>
    </>
  )
}

function RefusedTicket({ view: { begin, requestId } }: { view: RefusedTicketView }) {
  const { common, forward } = useTexts()
  const t = forward.refusedTicket
  return (
    <>
      <p>{t.text}</p>
      <Actions>
        <LinkButton href={begin}>{t.begin}</LinkButton>
      </Actions>
      <p class="muted">{common.forQuestions(requestId)}</p>
    </>
  )
}
