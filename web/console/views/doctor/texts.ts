import { areaTexts } from '../../texts.ts'

export const doctorTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/doctor.ts')).doctor,
  de: async () => (await import('../../../languages/de/console/doctor.ts')).doctor,
})
