import type { RefusalView, RefusalViews } from '../../../src/core/http/pages/views/refusal.ts'
import { Actions, LinkButton } from '../../components/button.tsx'
import { useTexts } from '../../context.ts'
import type { Texts } from '../../languages/languages.ts'
import type { PagesOf } from '../page.ts'

export const pages: PagesOf<RefusalViews> = {
  refusal: { title: (view, texts) => toldOf(view, texts)[0], Content: Refusal },
}

function toldOf({ error }: RefusalView, { refusal }: Texts) {
  return error === null ? refusal.otherwise : refusal.told[error]
}

function Refusal({ view }: { view: RefusalView }) {
  const texts = useTexts()
  const { retryAfterSeconds, enrolmentToken, again, message, requestId } = view
  return (
    <>
      <p>{toldOf(view, texts)[1]}</p>
      {retryAfterSeconds !== null && <p>{texts.common.tryAgainIn(retryAfterSeconds)}</p>}
      {enrolmentToken !== null && <pre>{enrolmentToken}</pre>}
      <Actions>
        {again !== null && <LinkButton href={again}>{texts.refusal.signInAgain}</LinkButton>}
        <LinkButton href="/" kind="quiet">
          {texts.common.startPage}
        </LinkButton>
      </Actions>
      <p class="muted">
        <span lang="en">{message}.</span> {texts.common.forQuestions(requestId)}
      </p>
    </>
  )
}
