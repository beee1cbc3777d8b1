import type {
  FederationViews,
  LandingView,
  SecondFactorView,
} from '../../../src/modules/federation/views.ts'
import { Actions, LinkButton } from '../../components/button.tsx'
import { FactorFields } from '../../components/factor-fields.tsx'
import { Form } from '../../components/form.tsx'
import { Problem } from '../../components/messages.tsx'
import { useTexts } from '../../context.ts'
import type { PagesOf } from '../page.ts'

export const pages: PagesOf<FederationViews> = {
  landing: {
    title: ({ what }, { federation }) => federation.landing[what].title,
    refresh: ({ path }) => path,
    Content: Landing,
  },
  'second-factor': {
    title: (_view, { federation }) => federation.secondFactor.title,
    hasProblem: ({ problem }) => problem !== null,
    Content: SecondFactor,
  },
}

function Landing({ view: { what, path } }: { view: LandingView }) {
  const { common, federation } = useTexts()
  return (
    <>
      <p>{federation.landing[what].text}</p>
      <Actions>
        <LinkButton href={path}>{common.goOn}</LinkButton>
      </Actions>
    </>
  )
}

function SecondFactor({ view: { problem } }: { view: SecondFactorView }) {
  const { common, federation } = useTexts()
  const t = federation.secondFactor
  const wrong = problem === null ? null : t[problem]
  return (
    <>
      <p>{t.text}</p>
      {wrong !== null && (
        <Problem isFieldFocused>
          <p>{wrong}</p>
        </Problem>
      )}
      <Form action="/oauth/second-factor">
        <FactorFields isWrong={wrong !== null} hasFocus />
      </Form>
      <p>
        <a href="/">{common.cancel}</a>
      </p>
    </>
  )
}
