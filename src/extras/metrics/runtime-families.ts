import { readdir, readFile } from 'node:fs/promises'
import { type Family, gauge, histogram, total as summed } from '../../core/measurements/family.ts'
import { bounds, Histogram } from '../../core/measurements/histogram.ts'

/** By Prometheus names. */
export interface RuntimeMetrics {
  families(): Promise<Family[]>
  stop(): void
}

const sampleMs = 50

/**
 * Starts on first use. The library's default metrics cost more (ten digests per second, every
 * garbage collection), break naming rules, and reset event loop delay at each scrape.
 */
export function createRuntimeMetrics(worker: string): RuntimeMetrics {
  const delays = new Histogram(bounds.request)
  let timer: NodeJS.Timeout | undefined

  function observe(): void {
    let last = performance.now()
    timer = setInterval(() => {
      const now = performance.now()
      delays.observe(Math.max(0, now - last - sampleMs) / 1000)
      last = now
    }, sampleMs).unref()
  }

  return {
    async families() {
      if (!timer) observe()
      const labels = { worker }
      const { user, system } = process.cpuUsage()
      const { rss, heapTotal, heapUsed } = process.memoryUsage()
      const one = (name: string, help: string, value: number) =>
        gauge(name, help, [{ value, labels }])
      const cpu = (name: string, help: string, microseconds: number): Family => {
        const family = summed(name, help, microseconds / 1e6)
        return { ...family, values: family.values.map((sample) => ({ ...sample, labels })) }
      }
      return [
        cpu('process_cpu_seconds_total', 'Processor time of the process.', user + system),
        cpu('process_cpu_user_seconds_total', 'Processor time in the program.', user),
        cpu('process_cpu_system_seconds_total', 'Processor time in the system.', system),
        one('process_start_time_seconds', 'When the process began.', performance.timeOrigin / 1000),
        one('process_resident_memory_bytes', 'Memory of the process.', rss),
        one('nodejs_heap_size_total_bytes', 'Size of the heap of Node.', heapTotal),
        one('nodejs_heap_size_used_bytes', 'What of the heap is in use.', heapUsed),
        ...(await descriptors(worker)),
        histogram(
          'gatehouse_event_loop_delay_seconds',
          'How late a timer of 50 ms ran: how long a request may wait before anything is done for it.',
          [{ histogram: delays, labels }],
        ),
      ]
    },

    stop: () => clearInterval(timer),
  }
}

/** Open and maximum file descriptors; empty without /proc. */
async function descriptors(worker: string): Promise<Family[]> {
  const open = await readdir('/proc/self/fd').catch(() => null)
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const max = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1])
  const series = (value: number | undefined) =>
    value === undefined || Number.isNaN(value) ? [] : [{ value, labels: { worker } }]
  return [
    gauge('process_open_fds', 'Open files and connections.', series(open?.length)),
    gauge('process_max_fds', 'How many files and connections may be open.', series(max)),
  ]
}
