import { useState } from 'preact/hooks'
import { type Language, languages } from '../../../../src/config/languages.ts'
import { useLanguage } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
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
      <form class="fields" onSubmit={(event) => event.preventDefault()}>
        <div class="field">
          <label for="test-address">{common.email}</label>
          <input
            id="test-address"
            type="email"
            autocomplete="email"
            value={address}
            onInput={({ currentTarget }) => setAddress(currentTarget.value)}
          />
        </div>
        <div class="field">
          <label for="test-language">{common.language}</label>
          <select
            id="test-language"
            value={language}
            onChange={({ currentTarget }) => setLanguage(currentTarget.value as Language)}
          >
            {languages.map((one) => (
              <option key={one} value={one}>
                {t.languages[one]}
              </option>
            ))}
          </select>
        </div>
        <ActionButton disabled={address.trim() === ''} onClick={send}>
          {t.sendTest}
        </ActionButton>
      </form>
    </details>
  )
}
