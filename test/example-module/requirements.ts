import type { AddedRequirements } from '../../src/modules/authentication/requirement-cells.ts'

/** Of a request by a key: a device goes on where a person would have to change something first. */
export const stages = {
  'x-note-key': {
    no_deletion: 'unauthenticated',
    of_person: '',
    account_usable: 'unauthenticated',
    not_locked_out: '',
    unchanged: '',
    same_password: '',
    second_factor: '',
    password_change: '',
    enrolment: '',
  },
} satisfies AddedRequirements['stages']

/** A key lies on a device, and never acts for an administrator. */
export const requirements = {
  'x-no-administrator': {
    isMet: ({ account }) => !account.roles.includes('ADMIN'),
    cells: { 'x-note-key': 'unauthenticated' },
    otherwise: '',
  },
} satisfies AddedRequirements['requirements']
