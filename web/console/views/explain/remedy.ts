import { api, dataOf, taggedOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { confirmed } from '../../components/confirm.tsx'
import { toast } from '../../components/toasts.tsx'
import { partsOf } from '../account/parts.ts'
import { whyTexts } from './texts.ts'

/** A remedy that is done here; roles are changed on the page of the account. */
export type DoneRemedy = Exclude<components['schemas']['Remedy'], 'change_roles'>

interface Options {
  readonly username: string
  /** Of the refused request; empty if none was refused. */
  readonly address: string
  /** Called after it is done, or undone. */
  readonly again: () => void
  readonly showPassword: (password: string) => void
}

/** Makes the function that does a remedy, asks first where it cannot be undone, and says what was done. */
export function useRemedy({ username, address, again, showPassword }: Options) {
  const t = whyTexts.use()
  const params = { path: { username } }

  async function change(changes: components['schemas']['AccountChanges']): Promise<void> {
    const { etag } = await taggedOf(api.GET('/api/admin/accounts/{username}', { params }))
    const header = { 'If-Match': etag }
    await dataOf(
      api.PUT('/api/admin/accounts/{username}', { params: { ...params, header }, body: changes }),
    )
    again()
  }

  function done(text: string, undo?: () => Promise<void>): void {
    toast(text, undo ? { undo } : {})
  }

  const remedies: Readonly<Record<DoneRemedy, () => Promise<void>>> = {
    async unlock() {
      await change({ locked: false })
      done(t.done.unlock(username), async () => {
        await change({ locked: true })
        done(t.done.lockedAgain(username))
      })
    },

    async enable() {
      await change({ active: true })
      done(t.done.enable(username), async () => {
        await change({ active: false })
        done(t.done.disabledAgain(username))
      })
    },

    async clear_throttle() {
      await dataOf(api.DELETE('/api/admin/throttle/{username}', { params }))
      done(t.done.clear_throttle(username))
      again()
    },

    async clear_address() {
      await dataOf(
        api.DELETE('/api/admin/throttle/addresses/{address}', { params: { path: { address } } }),
      )
      done(t.done.clear_address(address))
      again()
    },

    async send_reset() {
      await Promise.all(partsOf('sendReset').map((sendReset) => sendReset(username)))
      done(t.done.send_reset(username))
      again()
    },

    async set_password() {
      const isConfirmed = await confirmed({
        title: t.confirm.setPassword(username),
        effects: t.confirm.setPasswordEffects,
        action: t.remedies.set_password.action,
        isDangerous: true,
      })
      if (!isConfirmed) return
      const { password } = await dataOf(
        api.POST('/api/admin/accounts/{username}/password', { params }),
      )
      showPassword(password)
    },

    async remove_second_factor() {
      const isConfirmed = await confirmed({
        title: t.confirm.removeFactor(username),
        effects: t.confirm.removeFactorEffects,
        action: t.remedies.remove_second_factor.action,
        isDangerous: true,
        typed: username,
      })
      if (!isConfirmed) return
      await dataOf(api.DELETE('/api/admin/accounts/{username}/second-factor', { params }))
      done(t.done.remove_second_factor(username))
      again()
    },
  }
  return (remedy: DoneRemedy) => remedies[remedy]()
}
