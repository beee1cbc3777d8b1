import type { Config } from '../../../core/config/load.ts'
import { fileSink } from './file-sink.ts'
import type { Sink } from './sink.ts'
import { sinkOffsets } from './sink-offsets.ts'
import { syslogSink } from './syslog-sink.ts'

export function sinksOf(
  { checkpointsFile, sinks }: Pick<Config['audit'], 'checkpointsFile' | 'sinks'>,
  { offsetsPath, mayRepair }: { readonly offsetsPath: string; readonly mayRepair: boolean },
): Sink[] {
  const offsets = sinkOffsets(offsetsPath)
  return [
    fileSink({
      name: `file:${checkpointsFile}`,
      path: checkpointsFile,
      takesRecords: false,
      mayRepair,
    }),
    ...sinks.map((address) =>
      address.kind === 'file'
        ? fileSink({ ...address, takesRecords: true, mayRepair })
        : syslogSink({ address, offsets }),
    ),
  ]
}
