import type { AccountView } from '../../../src/extras/own-account/pages/views.ts'
import { Actions, Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { Select } from '../../components/select.tsx'
import { useTexts } from '../../context.ts'
import { languageNames } from '../../languages/languages.ts'

/** The language of pages and mail. */
export function LanguageForm({ view }: { view: AccountView }) {
  const { ownEmail: t } = useTexts()
  return (
    <Form action="/account/language" csrf={view.csrf}>
      <Select
        name="language"
        label={t.languageLabel}
        value={view.language ?? ''}
        options={[
          { value: '', text: t.languageOfBrowser },
          ...view.languages.map((language) => ({
            value: language,
            text: languageNames[language],
            lang: language,
          })),
        ]}
      />
      <Actions>
        <Button kind="quiet">{t.save}</Button>
      </Actions>
    </Form>
  )
}
