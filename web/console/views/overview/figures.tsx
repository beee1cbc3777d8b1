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
  readonly href?: string
}

export function Figure({ name, value, isShare = false, href }: Props) {
  const language = useLanguage()
  // Formats no absent number: the first number format of a page takes a browser 20 ms.
  const text = value?.toLocaleString(language, isShare ? { style: 'percent' } : {})
  return (
    <div>
      <dt>{href === undefined ? name : <a href={href}>{name}</a>}</dt>
      <dd>{text ?? '–'}</dd>
    </div>
  )
}
