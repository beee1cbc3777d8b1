import { all, any, owner, role, unlocked } from '../../core/policy/rules.ts'

/** The rules of the posts endpoints. `POSTS_DELETE_POLICY` selects the rules of deletion. Spec 4.3. */
export const postsRules = {
  read: role('USER', 'EDITOR', 'ADMIN'),
  create: role('EDITOR', 'ADMIN'),
  update: any(owner, all(role('ADMIN'), unlocked)),
  remove: { admin: role('ADMIN'), owner: any(owner, role('ADMIN')) },
} as const
