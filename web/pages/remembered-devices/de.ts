import { plural } from '../../languages/words.ts'
import type { devices as english } from './en.ts'

export const devices: typeof english = {
  title: 'Gemerkte Geräte',
  summary: 'Wo kein Code verlangt wird.',
  count: plural('de', {
    none: 'keines ist gemerkt',
    one: 'eines ist gemerkt',
    other: '# sind gemerkt',
  }),
  explanation:
    'Auf diesen Geräten genügt Ihr Passwort. Wenn Sie eines nicht kennen, vergessen Sie es, und ändern Sie dann Ihr Passwort.',
  none: 'Kein Gerät ist gemerkt.',
  rememberedAt: 'Gemerkt',
  lastUsed: 'Zuletzt benutzt',
  until: 'Bis',
  current: 'Dieses Gerät',
  forget: 'Vergessen',
  forgetOne: (device, address) => `Vergessen: ${device}, ${address}`,
  forgetAll: 'Alle Geräte vergessen',
  done: {
    device_forgotten: 'Das Gerät ist vergessen. Es wird wieder nach einem Code gefragt.',
    devices_forgotten: 'Alle Geräte sind vergessen. Sie werden wieder nach einem Code gefragt.',
  },
}
