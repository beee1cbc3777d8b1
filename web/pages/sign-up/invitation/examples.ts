import type {
  InvitationView,
  InvitationViews,
} from '../../../../src/extras/sign-up/pages/invitation/views.ts'
import type { ExamplesOf } from '../../page.ts'

const plain: InvitationView = {
  action: '/invitation?flow=f',
  csrf: 'c',
  email: 'ann@example.org',
  roles: ['USER', 'EDITOR', 'ADMIN', 'AUDITOR'],
  username: '',
  name: 'Ann Example',
  inputs: [],
  minLength: 12,
  problems: {},
}

export const examples: ExamplesOf<InvitationViews> = {
  invitation: {
    first: plain,
    'no role': { ...plain, roles: [] },
    'wrong fields': { ...plain, problems: { username: 'taken', password: { rule: 'known' } } },
  },
  'invitation-dead-link': {
    always: { message: 'Invalid or expired code', requestId: 'h3Kq9Zp-12' },
  },
}
