import type { RoomParts } from '../../core/module/room.ts'
import { type StatisticsOptions, statisticsRoutes } from './routes.ts'
import type { StatisticSeries } from './series.ts'
import { type SeriesRoutesOptions, seriesRoutes } from './series-routes.ts'

export interface Needs extends StatisticsOptions, SeriesRoutesOptions {
  readonly statisticSeries: StatisticSeries
}

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    app.refusalListeners.push(needs.statisticSeries.refusals.take)
    await app.register(statisticsRoutes, needs)
    await app.register(seriesRoutes, needs)
  },

  jobs: ({ statisticSeries }) => [
    { name: 'statistics', everyMs: 1000, inEachWorker: true, run: statisticSeries.run },
    { name: 'old statistics', purge: statisticSeries.purge },
  ],
}
