import type { ComponentChildren } from 'preact'
import type { AccountView } from '../../../src/extras/own-account/pages/views.ts'
import { LinkButton } from '../../components/button.tsx'
import { Breakable, DefinitionList, Time } from '../../components/data.tsx'
import { useTexts } from '../../context.ts'
import { Outcome } from './outcome.tsx'
import { type AccountGroup, accountGroups } from './part.ts'
import { parts, shownLinks } from './parts.ts'

/** Who the person is here, and the ways to the other pages: a card for each group. */
export function Overview({ view }: { view: AccountView }) {
  const groups = accountGroups.filter((one) => one !== 'deletion')
  return (
    <>
      <Outcome {...view} />
      {groups.map((group) => (
        <Card key={group} group={group} view={view}>
          {group === 'you' && <Person view={view} />}
        </Card>
      ))}
      <Card group="deletion" view={view} />
    </>
  )
}

interface CardProps {
  readonly group: AccountGroup
  readonly view: AccountView
  readonly children?: ComponentChildren
}

/** One row for each thing: its name, what is there now, and the button to its page. */
function Card({ group, view, children }: CardProps) {
  const texts = useTexts()
  const { account: t } = texts
  const rows = shownLinks(view).filter((link) => link.group === group)
  if (rows.length === 0 && !children) return null
  const isDeletion = group === 'deletion'
  const action = group === 'you' || group === 'sign_in' ? t.change : t.view
  const verb = isDeletion ? t.toDeletion : action
  return (
    <section class={isDeletion ? 'group apart' : 'group'} aria-labelledby={`of-${group}`}>
      <h2 id={`of-${group}`}>{t.groups[group]}</h2>
      {children}
      <ul class="rows">
        {rows.map(({ href, state, summary, title }) => (
          <li key={href}>
            <p>
              {title(texts)}
              <span class="muted">
                <Breakable text={state?.(view, texts) ?? summary(texts)} />
              </span>
            </p>
            <LinkButton
              href={href}
              kind={isDeletion ? 'danger' : 'quiet'}
              label={`${verb}: ${title(texts)}`}
            >
              {verb}
            </LinkButton>
          </li>
        ))}
      </ul>
      {group === 'you' &&
        parts.map(({ Section }, index) => Section && <Section key={index} view={view} />)}
    </section>
  )
}

function Person({ view }: { view: AccountView }) {
  const texts = useTexts()
  const { account: t, common } = texts
  const rows = [
    [common.username, view.username],
    [t.name, view.name],
    [t.contact, view.contact],
    ...parts.flatMap(({ rows }) => rows?.(view, texts) ?? []),
  ] as const
  const hints = parts.flatMap(({ hint }) => hint?.(texts) ?? [])
  return (
    <>
      <DefinitionList
        rows={[
          ...rows.map(([term, value]) => [term, <Breakable key={term} text={value} />] as const),
          [t.since, <Time key="since" at={view.since} format="date" />],
        ]}
      />
      {hints.map((hint) => (
        <p key={hint} class="hint">
          {hint}
        </p>
      ))}
    </>
  )
}
