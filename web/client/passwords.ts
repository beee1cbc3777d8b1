import { inputOf, withData } from './elements.ts'

/** Shows the buttons that show a password; it is hidden again before the form is sent. */
export function offerToShowPasswords(): void {
  for (const [button, id] of withData('show')) {
    const input = inputOf(id)
    if (!input) continue
    button.hidden = false
    const { textContent: shows } = button
    const set = (isShown: boolean) => {
      input.type = isShown ? 'text' : 'password'
      button.setAttribute('aria-pressed', String(isShown))
      button.textContent = isShown ? (button.dataset.hideText ?? shows) : shows
    }
    button.addEventListener('click', () => {
      set(input.type === 'password')
      input.focus()
    })
    // Browsers offer to keep what a field of type password holds.
    input.form?.addEventListener('submit', () => set(false))
  }
}

/** Tells with each letter which rules a new password meets; the service judges all of them. */
export function judgeNewPasswords(): void {
  for (const [list, id] of withData('rules-for')) {
    const input = inputOf(id)
    if (!input) continue
    const rules = [...list.querySelectorAll<HTMLElement>('[data-rule]')]
    for (const rule of rules) rule.append(said())
    input.addEventListener('input', () => {
      for (const rule of rules) show(rule, list, isMet(rule, input))
    })
  }
}

/** Words for a screen reader beside the mark. */
function said(): HTMLElement {
  const element = document.createElement('span')
  element.className = 'said'
  return element
}

function show(rule: HTMLElement, list: HTMLElement, met: boolean): void {
  rule.classList.toggle('met', met)
  const words = rule.querySelector('.said')
  if (words) words.textContent = ` (${met ? list.dataset.met : list.dataset.unmet})`
}

/** As the service counts: code points of the NFC; names compared in NFKC and lower case. */
function isMet({ dataset }: HTMLElement, input: HTMLInputElement): boolean {
  const text = input.value.normalize('NFC')
  if (dataset.rule === 'length') return [...text].length >= Number(dataset.min)
  if (text === '') return false
  const comparable = (name: string) => name.normalize('NFKC').toLowerCase()
  const [shown = '', typed = ''] = [
    dataset.names ?? '',
    input.form?.querySelector<HTMLInputElement>('input[name="username"]')?.value,
  ]
  return [shown, typed]
    .map(comparable)
    .filter((name) => [...name].length >= 4)
    .every((name) => !comparable(text).includes(name))
}
