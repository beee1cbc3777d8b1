import { inputOf, withData } from '../../../web/client/elements.ts'

/** The link of a badge has username and words behind `#`: they go into the form, out of the address. */
for (const [element, text] of withData('badge')) {
  const [, name, words] = /^#([^:]+):([\w-]+)$/.exec(location.hash) ?? []
  const [username, badge] = [inputOf('username'), inputOf('badge')]
  const status = element.querySelector('[role="status"]')
  if (!name || !words || !username || !badge || !status) continue
  history.replaceState(null, '', location.pathname + location.search)
  username.value = decodeURIComponent(name)
  badge.value = words
  status.textContent = text
  element.querySelector('button')?.focus()
}
