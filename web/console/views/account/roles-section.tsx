import { useState } from 'preact/hooks'
import { ActionButton } from '../../components/action-button.tsx'
import { RoleChoice } from '../accounts/role-choice.tsx'
import type { SectionProps } from './parts.ts'
import { Section } from './section.tsx'
import { changeRoles } from './standing-actions.ts'
import { accountTexts } from './texts.ts'

/** The roles, and the choice of others. */
export function RolesSection(props: SectionProps) {
  const t = accountTexts.use()
  const before: readonly string[] = props.shown.account.data.roles
  // What is chosen and not saved; null: nothing.
  const [chosen, setChosen] = useState<readonly string[] | null>(null)
  const roles = chosen ?? before
  const isChanged = roles.length !== before.length || roles.some((role) => !before.includes(role))
  async function save(): Promise<void> {
    await changeRoles({ ...props, t }, roles)
    setChosen(null)
  }
  return (
    <Section title={t.roles}>
      <RoleChoice legend={t.roles} isLegendHidden chosen={roles} onChoose={setChosen} />
      <p class="hint">{t.rolesHint}</p>
      <ActionButton kind="quiet" disabled={!isChanged} onClick={save}>
        {t.saveRoles}
      </ActionButton>
    </Section>
  )
}
