/** The elements of the page, and those that the script adds to it. */

/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement[]} */
export function all(selector, within = document) {
  return [...within.querySelectorAll(selector)].map((found) => /** @type {HTMLElement} */ (found))
}

/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement} */
export function one(selector, within = document) {
  const found = within.querySelector(selector)
  if (!found) throw new Error(`the page has no ${selector}`)
  return /** @type {HTMLElement} */ (found)
}

/** @param {string} id @returns {HTMLInputElement} */
export function input(id) {
  return /** @type {HTMLInputElement} */ (one(`#${id}`))
}

/** @param {string} text @param {string} [className] */
export function line(text, className = '') {
  const made = document.createElement('p')
  made.textContent = text
  made.className = className
  return made
}

/** @param {string} text @param {string} label */
export function block(text, label) {
  const made = document.createElement('pre')
  made.textContent = text
  made.tabIndex = 0
  made.ariaLabel = label
  return made
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error)
}
