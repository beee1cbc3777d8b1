import type { ProfileView, ProfileViews } from '../../../src/extras/profile/views.ts'
import { AccountInputs, useWrongInputs } from '../../components/account-inputs.tsx'
import { Actions, Button } from '../../components/button.tsx'
import { Breakable, DefinitionList } from '../../components/data.tsx'
import { Form } from '../../components/form.tsx'
import { Problem } from '../../components/messages.tsx'
import { useLanguage, useTexts } from '../../context.ts'
import { Back, Outcome } from '../own-account/outcome.tsx'
import type { PagesOf } from '../page.ts'

export const pages: PagesOf<ProfileViews> = {
  'account-profile': {
    title: (_view, { profile }) => profile.title,
    hasProblem: ({ problem }) => problem !== null,
    Content: Profile,
  },
}

/** The fields that an administrator sets, and a form with a row for each field of the owner. */
function Profile({ view }: { view: ProfileView }) {
  const { profile: t } = useTexts()
  const language = useLanguage()
  const { csrf, fixed, inputs, problem, shown } = view
  const wrong = useWrongInputs(inputs)
  const textOf = (value: string | boolean | null) =>
    value === null ? t.none : typeof value === 'string' ? value : value ? t.yes : t.no
  return (
    <>
      {problem ? <Problem fields={wrong} /> : <Outcome {...view} />}
      {fixed.length > 0 && (
        <>
          <h2>{t.fixed}</h2>
          <DefinitionList
            rows={fixed.map(
              ({ name, labels, value }) =>
                [labels[language], <Breakable key={name} text={textOf(value)} />] as const,
            )}
          />
        </>
      )}
      {inputs.length > 0 && (
        <>
          <h2>{t.own}</h2>
          <Form action="/account/profile" csrf={csrf} hidden={{ shown }}>
            <AccountInputs inputs={inputs} hasFocus={problem !== null} />
            <Actions>
              <Button>{t.save}</Button>
            </Actions>
          </Form>
        </>
      )}
      <Back />
    </>
  )
}
