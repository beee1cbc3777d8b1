import { all, any, owner, role, unlocked } from '../../core/policy/rules.ts'

/** Spec 4.3. */
export const postsRules = {
  read: role('USER', 'EDITOR', 'ADMIN'),
  create: role('EDITOR', 'ADMIN'),
  update: any(owner, all(role('ADMIN'), unlocked)),
  remove: { admin: role('ADMIN'), owner: any(owner, role('ADMIN')) },
} as const
