import { useState } from 'preact/hooks'
import { type Language, languages } from '../../../../src/core/lib/languages.ts'
import { useLanguage } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import { ActionForm } from '../../components/action-form.tsx'
import { Choice, TextField } from '../../components/fields.tsx'
import { toast } from '../../components/toasts.tsx'
import { frameTexts } from '../../frame-texts.ts'
import { mailTexts } from './texts.ts'

/** Sends a mail that says that mail arrives; what became of it stands in the list below. */
export function TestMail({ onSent }: { readonly onSent: () => void }) {
  const t = mailTexts.use()
  const { common } = frameTexts.use()
  const [address, setAddress] = useState('')
  const [language, setLanguage] = useState<Language>(useLanguage())
  async function send(): Promise<void> {
    await dataOf(api.POST('/api/admin/mail/test', { body: { address: address.trim(), language } }))
    toast(t.isTested(address.trim()))
    onSent()
  }
  return (
    <details class="test-mail">
      <summary>{t.test}</summary>
      <p>{t.testHint}</p>
      <ActionForm action={t.sendTest} onSubmit={send}>
        {(problemOf) => (
          <>
            <TextField
              name="address"
              label={common.email}
              type="email"
              isRequired
              value={address}
              onChange={setAddress}
              problem={problemOf('address')}
            />
            <Choice
              name="language"
              label={common.language}
              value={language}
              options={languages.map((one) => [one, t.languages[one]] as const)}
              onChange={setLanguage}
            />
          </>
        )}
      </ActionForm>
    </details>
  )
}
