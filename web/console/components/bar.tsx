import type { FunctionComponent } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { areasFor, rootPath } from '../areas.ts'
import { frameTexts } from '../frame-texts.ts'
import { isHelpOpen } from '../keys.ts'
import { csrfToken, session } from '../session/session.ts'

/** Has a search of its own. */
const accountsPath = '/admin/accounts'

interface Props {
  readonly name: string
  readonly logo: string
  readonly isMenuOpen: boolean
  readonly onMenu: () => void
}

/** What views add to the menu of the person: `PersonLink` in their `person-link.tsx`. */
const linksOfViews = Object.values(
  import.meta.glob<FunctionComponent>('../views/*/person-link.tsx', {
    eager: true,
    import: 'PersonLink',
  }),
)

/** The bar above every view: where to begin, the search for an account, the help, the own person. */
export function Bar({ name, logo, isMenuOpen, onMenu }: Props) {
  const t = frameTexts.use()
  const own = areasFor(session.value?.roles ?? [])
  const url = useLocation().path
  return (
    <header class="bar">
      <button
        type="button"
        class="quiet small menu-button"
        aria-expanded={isMenuOpen}
        aria-controls="areas"
        onClick={onMenu}
      >
        {t.menu}
      </button>
      <a class="brand" href={own[0]?.path ?? rootPath}>
        <img src={logo} alt="" width="28" height="28" />
        <span>{name}</span>
      </a>
      {own.some(({ path }) => path === accountsPath) && url !== accountsPath && <AccountSearch />}
      <button
        type="button"
        class="quiet small help-button"
        aria-label={t.help.open}
        title={t.help.open}
        onClick={() => {
          isHelpOpen.value = true
        }}
      >
        ?
      </button>
      <PersonMenu />
    </header>
  )
}

/** Leads to the list of accounts, which goes on searching while it is typed there. */
function AccountSearch() {
  const t = frameTexts.use()
  const { route } = useLocation()
  const [text, setText] = useState('')
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const wanted = text.trim()
          const search = wanted === '' ? '' : `?${new URLSearchParams({ search: wanted })}`
          route(`/admin/accounts${search}`)
          setText('')
        }}
      >
        <input
          type="search"
          aria-label={t.searchAccounts}
          placeholder={t.searchAccounts}
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </search>
  )
}

/** Account and sign-out are pages of the service; its form needs the token of the session. */
function PersonMenu() {
  const t = frameTexts.use()
  return (
    <details
      class="person-menu"
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return
        currentTarget.open = false
        currentTarget.querySelector('summary')?.focus()
      }}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        const isOutside = relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)
        if (isOutside) currentTarget.open = false
      }}
    >
      <summary>
        <bdi>{session.value?.username}</bdi>
      </summary>
      <div>
        <a href="/account">{t.ownAccount}</a>
        {linksOfViews.map((PersonLink) => (
          <PersonLink key={PersonLink.name} />
        ))}
        <form method="post" action="/signout">
          <input type="hidden" name="csrf_token" value={csrfToken()} />
          <button type="submit" class="quiet small">
            {t.common.signOut}
          </button>
        </form>
      </div>
    </details>
  )
}
