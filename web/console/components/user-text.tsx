/** A text that a person chose, such as a name: its direction of writing ends with it. */
export function UserText({ children }: { readonly children: string }) {
  return <bdi class="user-text">{children}</bdi>
}
