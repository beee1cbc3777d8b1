import type { ComponentChildren } from 'preact'
import { useCommon } from '../context.ts'

type Kind = 'main' | 'quiet' | 'danger'

interface ButtonProps {
  readonly kind?: Kind
  /** What it sends, where a form has several buttons. */
  readonly name?: string
  readonly value?: string
  /** What a screen reader says, where the text alone does not say which one it is. */
  readonly label?: string
  readonly children: ComponentChildren
}

/** Sends its form. */
export function Button({ kind = 'main', name, value, label, children }: ButtonProps) {
  return (
    <button
      type="submit"
      {...(kind !== 'main' && { class: kind })}
      {...(name !== undefined && { name, value: value ?? '' })}
      {...(label !== undefined && { 'aria-label': label })}
    >
      {children}
    </button>
  )
}

/** A link that looks like a button: it leads to another page, and changes nothing. */
export function LinkButton({
  href,
  kind = 'main',
  label,
  children,
}: {
  readonly href: string
  readonly kind?: Kind
  /** What a screen reader says, where the text alone does not say which one it is. */
  readonly label?: string
  readonly children: ComponentChildren
}) {
  return (
    <a
      class={kind === 'main' ? 'button' : `button ${kind}`}
      href={href}
      {...(label !== undefined && { 'aria-label': label })}
    >
      {children}
    </a>
  )
}

/** Buttons and links in a row. */
export function Actions({ children }: { readonly children: ComponentChildren }) {
  return <div class="actions">{children}</div>
}

/** With scripts, a button that copies the text of an element. */
export function CopyButton({ from }: { readonly from: string }) {
  const t = useCommon()
  return (
    <button type="button" class="quiet small" hidden data-copy={from} data-done={t.copied}>
      {t.copy}
    </button>
  )
}

/** With scripts, a button that prints the page. */
export function PrintButton() {
  const t = useCommon()
  return (
    <button type="button" class="quiet small" hidden data-print>
      {t.print}
    </button>
  )
}
