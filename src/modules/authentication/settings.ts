import { list, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'
import { parseNamedRole, unknownRoleMistakes } from '../../core/config/roles.ts'
import type { Role } from '../../core/policy/principal.ts'

export const settings = {
  REQUIRE_SECOND_FACTOR: list({
    doc: 'Roles whose accounts must have a second factor, comma-separated: without one, a login only allows the enrolment of a factor.',
    parse: parseNamedRole,
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure(reading: Reading) {
  const requiredOf = reading.values.REQUIRE_SECOND_FACTOR as readonly Role[] // an unknown role is a mistake
  return {
    config: { secondFactor: { requiredOf } },
    mistakes: unknownRoleMistakes('REQUIRE_SECOND_FACTOR', reading),
  }
}
