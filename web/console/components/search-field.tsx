import { useEffect, useState } from 'preact/hooks'
import { useAddress } from '../use-address.ts'

interface Props {
  readonly label: string
  readonly hint: string
}

const pauseMs = 200

/** A search that begins while it is typed: `search` of the address, at the beginning of the list. */
export function SearchField({ label, hint }: Props) {
  const { fields, change } = useAddress()
  const present = fields.search ?? ''
  const [typed, setTyped] = useState(present)
  // What the address has got from elsewhere: a link, the way back, a button that clears.
  useEffect(() => setTyped((before) => (before.trim() === present ? before : present)), [present])
  useEffect(() => {
    const search = typed.trim()
    if (search === present) return
    const timer = setTimeout(() => change({ search, cursor: '' }, { replace: true }), pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <label>
      {label}
      <input
        type="search"
        name="search"
        maxLength={200}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder={hint}
        value={typed}
        data-search
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </label>
  )
}
