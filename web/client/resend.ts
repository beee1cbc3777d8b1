import { withData } from './elements.ts'

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
