import type { ComponentChildren } from 'preact'
import { useLanguage } from '../../../context.ts'

/** Figures beside each other. */
export function Figures({ children }: { readonly children: ComponentChildren }) {
  return <dl class="figures">{children}</dl>
}

interface Props {
  readonly name: string
  /** Null: not known. */
  readonly value: number | null
  /** Whether it is a share from 0 to 1. */
  readonly isShare?: boolean
  /** What the number is compared with, or when it was counted. */
  readonly hint?: string | undefined
  readonly href?: string
}

export function Figure({ name, value, isShare = false, hint, href }: Props) {
  const textOf = useFigureText(isShare)
  return (
    <div>
      <dt>{href === undefined ? name : <a href={href}>{name}</a>}</dt>
      <dd>{textOf(value)}</dd>
      {hint !== undefined && <dd class="hint">{hint}</dd>}
    </div>
  )
}

/** Writes a number in the reader's language, a share as a percentage; a dash for an unknown one. */
export function useFigureText(isShare: boolean): (value: number | null) => string {
  const language = useLanguage()
  // Formats no absent number: the first number format of a page takes a browser 20 ms.
  return (value) => value?.toLocaleString(language, isShare ? { style: 'percent' } : {}) ?? '–'
}
