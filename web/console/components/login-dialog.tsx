import { useEffect, useRef, useState } from 'preact/hooks'
import { frameTexts } from '../frame-texts.ts'
import { wordsOf } from '../problem-words.ts'
import { loginQuestion } from '../session/ask-for-login.ts'
import { hasPasskeys } from '../session/has-passkeys.ts'
import { session } from '../session/session.ts'
import { Dialog } from './dialog.tsx'

/** Where the login in another tab ends. */
const done = encodeURIComponent('/account')

type Ways = typeof import('../session/log-in.ts')

/** Few views need a login in place. */
function loadWays(): Promise<Ways> {
  return import('../session/log-in.ts')
}

/** The login in place: the view below keeps what was typed, and its requests go on afterwards. */
export function LoginDialog() {
  return loginQuestion.value && <Asked />
}

function Asked() {
  const t = frameTexts.use()
  const question = loginQuestion.value
  const [password, setPassword] = useState('')
  const [totp, setTotp] = useState('')
  const [wantsCode, setWantsCode] = useState(false)
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const codeField = useRef<HTMLInputElement>(null)
  useEffect(() => codeField.current?.focus(), [wantsCode])
  const username = session.value?.username ?? ''
  if (!question) return null

  async function tryBy(way: (how: Ways) => Promise<'done' | 'code'>): Promise<void> {
    setBusy(true)
    try {
      if ((await way(await loadWays())) === 'done') return question?.answer(true)
      setWantsCode(true)
      setProblem(totp === '' ? '' : t.login.wrongCode)
    } catch (error) {
      setProblem(error instanceof DOMException ? '' : wordsOf(error, t)) // the person gave up
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={t.login.titles[question.reason]} onClose={() => question.answer(false)}>
      <p>{t.login.reasons[question.reason]}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void tryBy(({ logIn }) => logIn({ username, password, totp }))
        }}
      >
        {problem !== '' && (
          <p class="error" role="alert">
            {problem}
          </p>
        )}
        <label>
          {t.common.username}
          <input autocomplete="username" value={username} readOnly />
        </label>
        <label>
          {t.common.password}
          <input
            type="password"
            autocomplete="current-password"
            required
            data-first
            value={password}
            onInput={({ currentTarget }) => setPassword(currentTarget.value)}
          />
        </label>
        {wantsCode && (
          <label>
            {t.login.code}
            <input
              inputMode="numeric"
              autocomplete="one-time-code"
              ref={codeField}
              value={totp}
              onInput={({ currentTarget }) => setTotp(currentTarget.value)}
            />
          </label>
        )}
        <div class="actions">
          <button type="submit" class={isBusy ? 'busy' : undefined} disabled={isBusy}>
            {t.login.submit}
          </button>
          {hasPasskeys() && (
            <button
              type="button"
              class="quiet"
              disabled={isBusy}
              onClick={() => void tryBy(({ logInByPasskey }) => logInByPasskey())}
            >
              {t.login.passkey}
            </button>
          )}
          <button type="button" class="quiet" onClick={() => question.answer(false)}>
            {t.common.cancel}
          </button>
        </div>
      </form>
      <p>
        <a href={`/signin?again=1&return_to=${done}`} target="_blank" rel="noopener">
          {t.login.elsewhere}
        </a>{' '}
        <span class="muted">{t.login.elsewhereHint}</span>
      </p>
    </Dialog>
  )
}
