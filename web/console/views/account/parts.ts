import type { FunctionComponent } from 'preact'
import type { ActionContext } from './action.ts'
import type { ShownAccount } from './read-account.ts'

/** What every section gets: the account as it was read, and what to call after a change of it. */
export interface SectionProps {
  readonly shown: ShownAccount
  readonly reload: () => void
}

/** What other views add to what is shown and done about accounts: `account-part.tsx` exports it. */
interface AccountParts {
  readonly AccountSection: FunctionComponent<SectionProps>
  readonly AccountAction: FunctionComponent<{ readonly context: ActionContext }>
  /** The verified address of the account. */
  readonly AccountAddress: FunctionComponent<SectionProps>
  /** The invitation that the account came by, among its mail. */
  readonly AccountInvitation: FunctionComponent<SectionProps>
  /** Mails a reset of the password. */
  sendReset(username: string): Promise<void>
  /** Reads the setting ROLES. */
  readRoles(): Promise<string>
}

const files = Object.values(
  import.meta.glob<Partial<AccountParts>>('../*/account-part.{ts,tsx}', { eager: true }),
)

/** The parts of one kind. */
export function partsOf<Kind extends keyof AccountParts>(kind: Kind): AccountParts[Kind][] {
  return files.flatMap((file) => file[kind] ?? [])
}
