import { useLocation } from 'preact-iso'
import { accountsPath } from '../../account-path.ts'
import { ApiProblem } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import type { ActionContext } from './action.ts'
import { deleteAccount, deleteUser } from './delete-actions.ts'
import type { SectionProps } from './parts.ts'
import { Section } from './section.tsx'
import { accountTexts } from './texts.ts'

/** What cannot be undone, at the end of the page; the username must be typed first. */
export function DeletionSection(props: SectionProps) {
  const t = accountTexts.use()
  const { route } = useLocation()
  const context: ActionContext = { ...props, t }
  const leaving = (remove: (context: ActionContext) => Promise<boolean>) => async () => {
    try {
      if (await remove(context)) route(accountsPath)
    } catch (problem) {
      // Another administrator has changed it: what is shown next is what would be deleted.
      if (problem instanceof ApiProblem && problem.status === 412) props.reload()
      throw problem
    }
  }
  return (
    <Section title={t.deletion}>
      <div class="actions">
        <ActionButton kind="danger" isSmall onClick={leaving(deleteAccount)}>
          {t.deleteAccount}
        </ActionButton>
        <ActionButton kind="danger" isSmall onClick={leaving(deleteUser)}>
          {t.deleteUser}
        </ActionButton>
      </div>
    </Section>
  )
}
