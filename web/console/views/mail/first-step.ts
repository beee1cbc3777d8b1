import { api, dataOf } from '../../api/client.ts'
import type { FirstStep } from '../overview/first-steps.ts'

/** Whether the mail server has taken a mail; what is written to a file in development is none. */
export const firstStep: FirstStep = {
  id: 'mail',
  order: 30,
  href: '/admin/mail',
  isEssential: true,
  words: {
    en: ['Mail', 'Set SMTP_URL, and send a test mail: resets and notices need it.'],
    de: [
      'E-Mail',
      'Setzen Sie SMTP_URL, und senden Sie eine Test-E-Mail: Zurücksetzen und Hinweise brauchen sie.',
    ],
  },
  inStatus: ({ mail }) => (mail?.server ? null : false),
  async look(signal) {
    const query = { state: 'sent', limit: 100 } as const
    const { data } = await dataOf(api.GET('/api/admin/mail', { params: { query }, signal }))
    return data.some(({ response }) => !response?.startsWith('written to '))
  },
}
