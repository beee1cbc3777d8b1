import type { AccountView } from '../../../src/extras/own-account/pages/views.ts'
import { Actions, LinkButton } from '../../components/button.tsx'
import { DefinitionList, Time } from '../../components/data.tsx'
import { useTexts } from '../../context.ts'
import { Outcome } from './outcome.tsx'
import { parts, shownLinks } from './parts.ts'
import { WaysIn } from './ways-in.tsx'

/** Who the person is here, and the ways to the other pages. */
export function Overview({ view }: { view: AccountView }) {
  const texts = useTexts()
  const { account: t, common } = texts
  const hints = parts.flatMap(({ hint }) => hint?.(texts) ?? [])
  return (
    <>
      <Outcome {...view} />
      <h2>{t.profile}</h2>
      <DefinitionList
        rows={[
          [common.username, view.username],
          [t.name, view.name],
          [t.contact, view.contact],
          ...parts.flatMap(({ rows }) => rows?.(view, texts) ?? []),
          [t.since, <Time key="since" at={view.since} format="date" />],
        ]}
      />
      {hints.map((hint) => (
        <p key={hint} class="hint">
          {hint}
        </p>
      ))}
      <WaysIn view={view} />
      <nav aria-label={t.navigation}>
        <ul>
          {shownLinks(view)
            .filter(({ state }) => state === undefined)
            .map(({ href, summary, title }) => (
              <li key={href}>
                <a href={href}>{title(texts)}</a>
                <span class="muted"> {summary(texts)}</span>
              </li>
            ))}
        </ul>
      </nav>
      {parts.map(({ Section }, index) => Section && <Section key={index} view={view} />)}
      <Actions>
        <LinkButton href="/signout" kind="quiet">
          {t.signOut}
        </LinkButton>
      </Actions>
    </>
  )
}
