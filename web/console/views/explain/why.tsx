import { useState } from 'preact/hooks'
import { Notice } from '../../../components/messages.tsx'
import { useAddress } from '../../use-address.ts'
import { Answered } from './answered.tsx'
import { type Asked, askedText, canBeShared } from './question.ts'
import { whyTexts } from './texts.ts'

/** One box for a request id, a name or a token: why it was refused, or would be, and what remedies it. */
export function Why() {
  const t = whyTexts.use()
  const { fields, change } = useAddress()
  const { q = '', route = '' } = fields
  // A token is kept here alone; what the address names goes before it, also after a step back.
  const [secret, setSecret] = useState('')
  const [count, setCount] = useState(0)
  const asked: Asked = q === '' ? { text: secret, route: '' } : { text: q, route }

  function ask({ text, route: wanted }: Asked): void {
    setCount(count + 1)
    if (!canBeShared(text)) {
      setSecret(text)
      change({ q: '', route: '' })
    } else {
      setSecret('')
      change({ q: text, route: wanted })
    }
  }

  return (
    <>
      <h1>{t.title}</h1>
      <Box key={`${asked.text} ${asked.route}`} asked={asked} ask={ask} />
      {asked.text !== q && <p class="hint">{t.tokenStays}</p>}
      {asked.text === '' ? (
        <Empty />
      ) : (
        <Answered key={`${count} ${asked.text} ${asked.route}`} asked={asked} />
      )}
    </>
  )
}

function Box({ asked, ask }: { readonly asked: Asked; readonly ask: (asked: Asked) => void }) {
  const t = whyTexts.use()
  const [text, setText] = useState(asked.text)
  const [route, setRoute] = useState(asked.route)
  const own = {
    autocomplete: 'off',
    autocapitalize: 'none',
    autocorrect: 'off',
    spellcheck: false,
  } as const
  return (
    <form
      class="why-box"
      onSubmit={(event) => {
        event.preventDefault()
        const typed = { text: askedText(text), route: route.trim() }
        if (typed.text !== '') ask(typed)
      }}
    >
      <div class="field">
        <label for="why-text">{t.question}</label>
        <p class="hint" id="why-text-hint">
          {t.questionHint}
        </p>
        <div class="with-button">
          <input
            id="why-text"
            aria-describedby="why-text-hint"
            {...own}
            required
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <button type="submit">{t.ask}</button>
        </div>
      </div>
      <details open={asked.route !== ''}>
        <summary>{t.routeTitle}</summary>
        <div class="field">
          <label for="why-route">{t.route}</label>
          <p class="hint" id="why-route-hint">
            {t.routeHint}
          </p>
          <input
            id="why-route"
            aria-describedby="why-route-hint"
            {...own}
            value={route}
            onInput={({ currentTarget }) => setRoute(currentTarget.value)}
          />
        </div>
      </details>
    </form>
  )
}

function Empty() {
  const t = whyTexts.use()
  return (
    <Notice kind="plain">
      <h2>{t.emptyTitle}</h2>
      <ul>
        {t.empty.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Notice>
  )
}
