import { hook } from '../../core/module/service.ts'

export const hooks = [
  hook('waysIn', ['apiKeys'], ({ apiKeys, config }) => async (userId) => {
    if (!config.appPasswords.isOn) return {}
    return { app_passwords: (await apiKeys.of(userId, 'app_password')).length }
  }),
]
