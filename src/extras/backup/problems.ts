import type { Problem } from '../../core/errors.ts'

export const backupUnderWay: Problem = {
  name: 'backupUnderWay',
  isUnlisted: true,
  status: 409,
  error: 'Backup under way',
  words: {
    en: 'Another backup is being made. Wait until it is done.',
    de: 'Eine andere Sicherung wird gerade gemacht. Warten Sie, bis sie fertig ist.',
  },
}
