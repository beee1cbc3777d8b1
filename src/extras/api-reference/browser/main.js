import { prepareCredentials } from './credentials.js'
import { all, one } from './elements.js'
import { prepareForm } from './requests.js'
import { openLinked, operations, prepareSearch } from './search.js'

/**
 * The script of the reference: search, links to operations, and requests. The page holds all that is
 * shown; what a user types in stays in the inputs of the page and is never stored.
 */
showTools()
prepareSearch()
prepareCredentials()
for (const form of all('form.try')) prepareForm(/** @type {HTMLFormElement} */ (form))
openLinked()
addEventListener('hashchange', openLinked)
document.body.dataset.ready = ''

/** Shows what needs this script. */
function showTools() {
  one('#tools').hidden = false
  for (const form of all('form.try')) form.hidden = false
  const login = document.querySelector('[data-login]')
  const link = /** @type {HTMLAnchorElement | null} */ (document.querySelector('a[href="#login"]'))
  if (login && link) link.href = `#${login.id}`
  const setAll = (/** @type {boolean} */ open) => () => {
    for (const { details } of operations) details.open = open
  }
  one('#open-all').addEventListener('click', setAll(true))
  one('#close-all').addEventListener('click', setAll(false))
}
