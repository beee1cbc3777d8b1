import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface Props {
  readonly title: string
  /** Called by Escape too. */
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/**
 * A dialog above the view, which holds the focus until it is closed; it is open while it is shown. The
 * element with `data-first` has the focus at first, otherwise the first that can have it.
 */
export function Dialog({ title, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    const opener = document.activeElement
    dialog?.showModal()
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus({ preventScroll: true })
    dialog?.scrollTo(0, 0)
    return () => {
      dialog?.close()
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
