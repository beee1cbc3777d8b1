import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { areasFor } from './areas.ts'
import { keep, kept } from './kept.ts'
import { session } from './session/session.ts'

/** Whether the help is open, which lists the keys. */
export const isHelpOpen = signal(false)

const name = 'gatehouse-keys'
const waitMs = 1500

/**
 * Whether single keys do anything: a person who speaks to the computer, or presses keys by accident,
 * turns them off. WCAG 2.2, 2.1.4.
 */
export const areKeysOn = signal(kept(name) !== 'off')

export function setKeys(areOn: boolean): void {
  areKeysOn.value = areOn
  keep(name, areOn ? 'on' : 'off')
}

/** `/` goes to the search, `?` opens the help, `g` and the key of an area opens the area. */
export function useKeys(): void {
  const { route } = useLocation()
  useEffect(() => {
    let leaderAt = Number.NEGATIVE_INFINITY
    function press(event: KeyboardEvent): void {
      const { ctrlKey, metaKey, altKey, key, timeStamp } = event
      const isOther = ctrlKey || metaKey || altKey || event.defaultPrevented
      if (isOther || !areKeysOn.value || isTyping(event.target) || isAsked()) return
      const isSecond = timeStamp - leaderAt < waitMs
      leaderAt = Number.NEGATIVE_INFINITY
      if (isSecond) {
        const area = areasFor(session.value?.roles ?? []).find((one) => one.key === key)
        if (area) route(area.path)
      } else if (key === 'g') leaderAt = timeStamp
      else if (key === '?') isHelpOpen.value = true
      else if (key === '/' && searchField()) searchField()?.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [route])
}

/** The search of the view, or that of the bar; null: neither has one. */
export function searchField(): HTMLElement | null {
  const inView = document.querySelector<HTMLElement>('main input[type="search"]')
  return inView ?? document.querySelector<HTMLElement>('header.bar input[type="search"]')
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.matches('select, textarea')) return true
  return target.matches('input:not([type="checkbox"], [type="radio"], [type="button"])')
}

/** Whether a dialog is open, which has the keyboard. */
function isAsked(): boolean {
  return document.querySelector('dialog[open]') !== null
}
