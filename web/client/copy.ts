import { withData } from './elements.ts'

const doneMs = 2000

/** Shows the buttons that copy the text of an element; each says for a moment that it has. */
export function offerCopies(): void {
  if (!navigator.clipboard) return
  for (const [button, from] of withData('copy')) {
    button.hidden = false
    const { textContent: text } = button
    button.addEventListener('click', async () => {
      const source = document.getElementById(from)
      // One line for each item of a list.
      const items = [...(source?.querySelectorAll('li') ?? [])].map((item) => item.textContent)
      await navigator.clipboard.writeText(
        items.length > 0 ? items.join('\n') : (source?.textContent ?? ''),
      )
      button.textContent = button.dataset.done ?? text
      setTimeout(() => {
        button.textContent = text
      }, doneMs)
    })
  }
}

/** Shows the buttons that print the page. */
export function offerPrint(): void {
  for (const [button] of withData('print')) {
    button.hidden = false
    button.addEventListener('click', () => window.print())
  }
}
