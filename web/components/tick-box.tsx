interface Props {
  readonly name: string
  readonly label: string
  readonly isTicked: boolean
}

/** A box with its words, sent as 1 if it is ticked. */
export function TickBox({ name, label, isTicked }: Props) {
  return (
    <label class="tick" for={name}>
      <input id={name} name={name} type="checkbox" value="1" checked={isTicked} /> {label}
    </label>
  )
}
