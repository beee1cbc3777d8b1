import { confirmed } from '../../components/confirm.tsx'
import { toast } from '../../components/toasts.tsx'
import { type ActionContext, endedLogins } from './action.ts'
import { changeAccount } from './change.ts'
import type { AccountChanges } from './read-account.ts'

interface StandingChange {
  readonly changes: AccountChanges
  readonly title: string
  readonly effects: readonly string[]
  readonly action: string
  readonly done: string
  /** The changes that take it back; absent where nothing does. */
  readonly undo?: AccountChanges
  readonly isDangerous?: boolean
}

export function lock(context: ActionContext): Promise<void> {
  const { t, name } = named(context)
  return change(context, {
    changes: { locked: true },
    title: t.lockTitle(name),
    effects: [endedLogins(context), t.cannotLogIn, t.canBeUndone, t.endedStay],
    action: t.lock,
    done: t.locked(name),
    undo: { locked: false },
    isDangerous: true,
  })
}

export function unlock(context: ActionContext): Promise<void> {
  const { t, name } = named(context)
  return change(context, {
    changes: { locked: false },
    title: t.unlockTitle(name),
    effects: [t.canLogIn, t.canBeUndone],
    action: t.unlock,
    done: t.unlocked(name),
    undo: { locked: true },
  })
}

export function disable(context: ActionContext): Promise<void> {
  const { t, name } = named(context)
  return change(context, {
    changes: { active: false },
    title: t.disableTitle(name),
    effects: [endedLogins(context), t.isDisabledEffect, t.canBeUndone, t.endedStay],
    action: t.disable,
    done: t.disabled(name),
    undo: { active: true },
    isDangerous: true,
  })
}

export function enable(context: ActionContext): Promise<void> {
  const { t, name } = named(context)
  return change(context, {
    changes: { active: true },
    title: t.enableTitle(name),
    effects: [t.canLogIn, t.canBeUndone],
    action: t.enable,
    done: t.enabled(name),
    undo: { active: false },
  })
}

export function requireNewPassword(context: ActionContext): Promise<void> {
  const { t, name } = named(context)
  return change(context, {
    changes: { must_change: true },
    title: t.mustChangeTitle(name),
    effects: [endedLogins(context), t.mustChangeEffect, t.canBeUndone, t.endedStay],
    action: t.mustChange,
    done: t.mustChanged(name),
    undo: { must_change: false },
  })
}

/** New roles, and what they give and take. */
export function changeRoles(context: ActionContext, roles: readonly string[]): Promise<void> {
  const { t, name } = named(context)
  const before: readonly string[] = context.shown.account.data.roles
  const given = roles.filter((role) => !before.includes(role))
  const taken = before.filter((role) => !roles.includes(role))
  return change(context, {
    changes: { roles: [...roles] },
    title: t.rolesTitle(name),
    effects: [
      ...given.map(t.gives),
      ...(given.includes('ADMIN') ? [t.becomesAdministrator] : []),
      ...taken.map(t.takes),
      t.endsAccessTokens,
      t.canBeUndone,
    ],
    action: t.saveRoles,
    done: t.rolesChanged(name),
    undo: { roles: [...before] },
    isDangerous: given.includes('ADMIN'),
  })
}

async function change(context: ActionContext, wanted: StandingChange): Promise<void> {
  const { shown, t, reload } = context
  const { changes, done, undo, ...question } = wanted
  if (!(await confirmed(question))) return
  const changed = await changeAccount(shown.account, changes, t)
  reload()
  if (!changed) return
  const takeBack = async () => {
    if (undo && (await changeAccount(changed, undo, t))) toast(t.undone)
    reload()
  }
  toast(done, undo && { undo: takeBack })
}

function named({ shown, t }: ActionContext) {
  return { t, name: shown.account.data.username }
}
