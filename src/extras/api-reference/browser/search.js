import { all, input, one } from './elements.js'

const maxHighlights = 2000

/** The operations, with the text that search looks through. */
export const operations = all('details.operation').map((element) => {
  const details = /** @type {HTMLDetailsElement} */ (element)
  const summary = one('summary', details)
  const reference = one('.reference', details)
  const text = `${summary.textContent} ${reference.textContent} ${details.id}`
  return { details, summary, reference, text: text.toLowerCase() }
})

/** Searches as the user types, and for what the address asks. `/` and Enter need no pointer. */
export function prepareSearch() {
  const field = input('search')
  field.value = new URLSearchParams(location.search).get('q') ?? ''
  if (field.value !== '') search(field.value)
  field.addEventListener('input', () => search(field.value))
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    const first = operations.find(({ details }) => !details.hidden)
    if (!first) return
    event.preventDefault() // or it would close what is opened here, as a press on its summary
    first.details.open = true
    first.details.scrollIntoView()
    first.summary.focus({ preventScroll: true })
  })
  addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof Element && target.matches('input, textarea, select')
    if (key !== '/' || isTyping || ctrlKey || metaKey || altKey) return
    event.preventDefault()
    field.focus()
  })
}

/**
 * Shows the operations that hold all words, anywhere: in path, parameters, fields, errors, examples.
 *
 * @param {string} query
 */
function search(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const { details, text } of operations) {
    details.hidden = !words.every((word) => text.includes(word))
    if (!details.hidden) found += 1
  }
  for (const section of all('.groups > section')) {
    section.hidden = !all('details.operation', section).some(({ hidden }) => !hidden)
  }
  one('#found').textContent =
    words.length === 0 ? '' : found === 1 ? '1 operation' : `${found} operations`
  highlight(words)
  const url = new URL(location.href)
  if (query === '') url.searchParams.delete('q')
  else url.searchParams.set('q', query)
  history.replaceState(null, '', url)
}

/**
 * Marks the words without a change of the page. CSS Custom Highlight API.
 *
 * @param {readonly string[]} words
 */
function highlight(words) {
  if (!('highlights' in CSS)) return
  CSS.highlights.delete('found')
  if (words.length === 0) return
  const marks = new Highlight()
  for (const { details, summary, reference } of operations) {
    if (details.hidden) continue
    for (const place of [summary, reference]) mark(place, words, marks)
    if (marks.size > maxHighlights) break
  }
  CSS.highlights.set('found', marks)
}

/**
 * @param {Node} place
 * @param {readonly string[]} words
 * @param {Highlight} marks
 */
function mark(place, words, marks) {
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.textContent ?? '').toLowerCase()
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        const range = new Range()
        range.setStart(node, at)
        range.setEnd(node, at + word.length)
        marks.add(range)
      }
    }
  }
}

/** Opens the operation that the address names, so that a link to it can be shared. */
export function openLinked() {
  const found = document.getElementById(unescaped(location.hash.slice(1)))
  const details = found?.closest('details')
  if (!found || !details) return
  details.hidden = false
  details.open = true
  const section = details.closest('section')
  if (section) section.hidden = false
  details.scrollIntoView()
  one('summary', details).focus({ preventScroll: true })
}

/** @param {string} text @returns {string} the text itself if it is not escaped as it must be */
function unescaped(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
