import { useKnownRoles } from './known-roles.ts'

interface Props {
  readonly legend: string
  /** Where a heading says it already; a screen reader says it all the same. */
  readonly isLegendHidden?: boolean
  readonly chosen: readonly string[]
  readonly onChoose: (roles: readonly string[]) => void
}

/** A box for each role of the service. */
export function RoleChoice({ legend, isLegendHidden = false, chosen, onChoose }: Props) {
  const roles = [...new Set([...useKnownRoles(), ...chosen])]
  return (
    <fieldset class="choices">
      <legend class={isLegendHidden ? 'said' : undefined}>{legend}</legend>
      {roles.map((role) => (
        <label key={role} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(role)}
            onChange={({ currentTarget }) =>
              onChoose(
                currentTarget.checked
                  ? [...chosen, role]
                  : chosen.filter((other) => other !== role),
              )
            }
          />
          {role}
        </label>
      ))}
    </fieldset>
  )
}
