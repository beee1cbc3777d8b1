import type { AccountView } from '../../../src/extras/own-account/pages/views.ts'
import { LinkButton } from '../../components/button.tsx'
import { useTexts } from '../../context.ts'
import { shownLinks } from './parts.ts'

/** One row for each way to sign in: its name, what is there now, and the button to its page. */
export function WaysIn({ view }: { readonly view: AccountView }) {
  const texts = useTexts()
  const { account: t } = texts
  return (
    <section aria-labelledby="ways-in">
      <h2 id="ways-in">{t.waysIn}</h2>
      <ul class="ways-in">
        {shownLinks(view).map(
          ({ href, state, title }) =>
            state && (
              <li key={href}>
                <p>
                  {title(texts)}
                  <span class="muted">{state(view, texts)}</span>
                </p>
                <LinkButton href={href} kind="quiet" label={`${t.change}: ${title(texts)}`}>
                  {t.change}
                </LinkButton>
              </li>
            ),
        )}
      </ul>
    </section>
  )
}
