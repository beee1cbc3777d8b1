import { useEffect, useState } from 'preact/hooks'
import { useCommon } from '../../context.ts'

interface Props {
  readonly text: string
  /** What a screen reader says of the button: "Copy: the secret". */
  readonly about: string
  /** A block of its own, for lines of a file or a command. */
  readonly isBlock?: boolean
}

const doneMs = 2000

/** A text to be used elsewhere, with a button that copies it. */
export function Copyable({ text, about, isBlock = false }: Props) {
  return isBlock ? (
    <div class="copyable block">
      <pre>{text}</pre>
      <CopyButton text={text} about={about} />
    </div>
  ) : (
    <span class="copyable">
      <code>{text}</code> <CopyButton text={text} about={about} />
    </span>
  )
}

/** Says for a moment that it has copied. Absent where the browser copies nothing, as over plain http. */
export function CopyButton({
  text,
  about,
  label,
}: Pick<Props, 'text' | 'about'> & { readonly label?: string }) {
  const t = useCommon()
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const timer = setTimeout(() => setDone(false), doneMs)
    return () => clearTimeout(timer)
  }, [isDone])
  // Its type says that it is always there.
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (!clipboard) return null
  const said = isDone ? t.copied : (label ?? t.copy)
  return (
    <button
      type="button"
      class="quiet small copy"
      aria-label={`${said}: ${about}`}
      onClick={() => clipboard.writeText(text).then(() => setDone(true))}
    >
      {said}
    </button>
  )
}
