import type { ComponentChildren } from 'preact'

interface Props {
  /** A path of this service, with the flow in its query. */
  readonly action: string
  /** The CSRF token of the flow or the session; absent where the route has no such token. */
  readonly csrf?: string | undefined
  /** Further hidden fields. */
  readonly hidden?: Readonly<Record<string, string>>
  readonly children: ComponentChildren
}

/** A form, which is sent by POST and needs no script. What is wrong with a field, the server says. */
export function Form({ action, csrf, hidden = {}, children }: Props) {
  const fields = { ...(csrf !== undefined && { csrf_token: csrf }), ...hidden }
  return (
    <form method="post" action={action} noValidate>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  )
}
