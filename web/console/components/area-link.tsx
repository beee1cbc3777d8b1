import type { ComponentChildren } from 'preact'
import { hasArea } from '../areas.ts'

interface Props {
  readonly href: string
  readonly title?: string
  readonly children: ComponentChildren
}

/** A link to another view; the text alone in a service without the view. */
export function AreaLink({ href, title, children }: Props) {
  return hasArea(href) ? (
    <a href={href} title={title}>
      {children}
    </a>
  ) : (
    children
  )
}
