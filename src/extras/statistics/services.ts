import { service } from '../../core/module/service.ts'
import { createStatisticSeries, type StatisticSeries } from './series.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly statisticSeries: StatisticSeries
  }
}

export const services = [
  service({
    needs: ['lookUpReason', 'modules'],
    makes: ['statisticSeries'],
    create: (needs) => ({ statisticSeries: createStatisticSeries(needs) }),
    async close({ log, statisticSeries }) {
      await statisticSeries
        .flush()
        .catch((error: unknown) => log.error({ err: error }, 'counts of statistics were lost'))
    },
  }),
]
