import { accountPath } from '../account-path.ts'

/** The name of an account, which leads to its page. A name may be long, or have marks of direction. */
export function AccountLink({ name }: { readonly name: string }) {
  return (
    <a class="cut" href={accountPath(name)} title={name}>
      <bdi>{name}</bdi>
    </a>
  )
}
