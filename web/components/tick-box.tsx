import { type FieldProps, marks } from './field.tsx'

interface Props extends Pick<FieldProps, 'hasFocus' | 'label' | 'name' | 'problem'> {
  readonly isTicked: boolean
}

/** A box with its words, sent as 1 if it is ticked. */
export function TickBox({ isTicked, label, ...props }: Props) {
  const { hasFocus, name, problem } = props
  const box = (
    <label class="tick" for={name}>
      <input
        id={name}
        name={name}
        type="checkbox"
        value="1"
        checked={isTicked}
        {...(hasFocus && { autofocus: true })}
        {...marks({ name, label, problem })}
      />{' '}
      {label}
    </label>
  )
  if (!problem) return box
  return (
    <div class="field wrong">
      <p class="error" id={`${name}-problem`}>
        {problem}
      </p>
      {box}
    </div>
  )
}
