import { Count, exactly, named, nameOf, Text, Time, TimeOrNull } from '../../core/http/schemas.ts'

export const Labels = { type: 'object', additionalProperties: Text } as const

/** The query, of series with these names. */
export const seriesQuery = (names: readonly string[]) =>
  ({
    type: 'object',
    properties: {
      step: {
        type: 'string',
        enum: ['minute', 'hour'],
        default: 'hour',
        description: 'The length of a bucket: minutes are kept for 48 hours, hours for 90 days',
      },
      from: {
        ...Time,
        description:
          'The first bucket is the one that it lies in. Default: 3 hours before `to` by minutes, 7 days by hours. What is no longer kept is left out',
        examples: ['2026-03-01T00:00:00Z'],
      },
      to: {
        ...Time,
        description:
          'The last bucket is the one before it, or that it lies in. Default and latest: now',
        examples: ['2026-03-02T00:00:00Z'],
      },
      name: {
        type: 'array',
        items: nameOf(names),
        description: 'The names of series: repeated, or between commas. Default: all',
        examples: [['logins', 'throttled']],
      },
    },
  }) as const

/** The answer, of series with these names. */
export const statisticsSeries = (names: readonly string[]) =>
  named(
    'StatisticsSeries',
    exactly({
      step_seconds: { type: 'integer', enum: [60, 3600] },
      from: { ...Time, description: 'The beginning of the first bucket' },
      to: { ...Time, description: 'The end of the last bucket, which may lie ahead' },
      since: {
        ...TimeOrNull,
        description:
          'The beginning of the first bucket in which anything was counted: before it is not known. Null: nothing was counted yet',
      },
      times: {
        type: 'array',
        items: Count,
        description: 'The beginning of each bucket, in seconds since 1970: what plots take',
      },
      series: {
        type: 'array',
        description:
          'Those that are usual, and others in which something was counted: docs/statistics.md',
        items: named(
          'StatisticsSeriesValues',
          exactly({
            name: nameOf(names),
            labels: { ...Labels, description: 'The values of its labels, by their names' },
            values: {
              type: 'array',
              items: Count,
              description: 'How often it happened in each bucket, in the order of `times`',
            },
          }),
          { name: 'logins', labels: { method: 'password', result: 'success' }, values: [3, 5] },
        ),
      },
    }),
    {
      step_seconds: 3600,
      from: '2026-03-02T08:00:00.000Z',
      to: '2026-03-02T10:00:00.000Z',
      since: '2026-03-01T10:00:00.000Z',
      times: [1_772_438_400, 1_772_442_000],
      series: [
        { name: 'logins', labels: { method: 'password', result: 'success' }, values: [3, 5] },
      ],
    },
  )
