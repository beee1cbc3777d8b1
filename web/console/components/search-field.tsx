import { useEffect, useRef, useState } from 'preact/hooks'
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
  // What this field has put into the address, or has taken from there.
  const known = useRef(present)
  const latest = useRef(change)
  latest.current = change
  // From elsewhere: a link, the way back, a button that clears. What is being typed stays otherwise.
  useEffect(() => {
    if (present !== known.current) setTyped(present)
    known.current = present
  }, [present])
  useEffect(() => {
    const search = typed.trim()
    if (search === known.current) return
    const timer = setTimeout(() => {
      known.current = search
      latest.current({ search, cursor: '' }, { replace: true })
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <div class="field">
      <label for="search">{label}</label>
      <input
        id="search"
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
    </div>
  )
}
