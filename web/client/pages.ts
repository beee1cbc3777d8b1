import { solveCaptchas } from './captcha.ts'
import { inputOf, withData } from './elements.ts'

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

// What a page can do more with scripts: no page needs it but one with a proof of work.
offerToShowPasswords()
judgeNewPasswords()
offerCopies()
offerPrint()
countDownResends()
showLocalTimes()
solveCaptchas()

/** Shows times in the zone of the reader: the service knows none, and shows UTC. */
export function showLocalTimes(): void {
  const { lang } = document.documentElement
  const formats: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
    date: { dateStyle: 'long' },
    time: { dateStyle: 'medium', timeStyle: 'short' },
  }
  for (const [element, format] of withData<HTMLTimeElement>('format')) {
    const at = new Date(element.dateTime)
    const text = new Intl.DateTimeFormat(lang, formats[format]).format(at)
    element.textContent = text.replace(/ (?=[AP]M$)/, '\u00a0')
  }
}

/** Holds back the button that sends a mail again until the service would send one. */
export function countDownResends(): void {
  for (const [element, seconds] of withData('resend')) {
    const button = element.querySelector('button')
    const hint = element.querySelector<HTMLElement>('.hint')
    if (!button || !hint || Number(seconds) <= 0) continue
    const until = performance.now() + Number(seconds) * 1000
    const { textContent: text } = button
    button.disabled = true
    hint.hidden = true
    const tick = () => {
      const left = Math.ceil((until - performance.now()) / 1000)
      button.textContent = left > 0 ? `${text} (${left})` : text
      if (left <= 0) {
        button.disabled = false
        clearInterval(timer)
      }
    }
    const timer = setInterval(tick, 1000)
    tick()
  }
}

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
