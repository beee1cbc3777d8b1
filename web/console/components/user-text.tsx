import { Breakable } from '../../components/data.tsx'

/** A text that a person chose, such as a name or an address: its direction of writing ends with it. */
export function UserText({ children }: { readonly children: string }) {
  return (
    <bdi class="user-text">
      <Breakable text={children} />
    </bdi>
  )
}
