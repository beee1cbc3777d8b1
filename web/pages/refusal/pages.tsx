import type { RefusalView, RefusalViews } from '../../../src/core/http/pages/views/refusal.ts'
import { Actions, LinkButton } from '../../components/button.tsx'
import { useTexts } from '../../context.ts'
import type { PagesOf } from '../page.ts'
import { toldOf } from './told.ts'

export const pages: PagesOf<RefusalViews> = {
  refusal: { title: (view, texts) => toldOf(view.error, texts)[0], Content: Refusal },
}

function Refusal({ view }: { view: RefusalView }) {
  const texts = useTexts()
  const { retryAfterSeconds, enrolmentToken, again, message, requestId } = view
  return (
    <>
      <p>{toldOf(view.error, texts)[1]}</p>
      {retryAfterSeconds !== null && <p>{texts.common.tryAgainIn(retryAfterSeconds)}</p>}
      {enrolmentToken !== null && <pre>{enrolmentToken}</pre>}
      <Actions>
        {again !== null && <LinkButton href={again}>{texts.refusal.signInAgain}</LinkButton>}
        <LinkButton href="/" kind="quiet">
          {texts.common.startPage}
        </LinkButton>
      </Actions>
      <p class="muted">
        <code lang="en">{message}</code> · {texts.common.forQuestions(requestId)}
      </p>
    </>
  )
}
