import { gauge, histogram, total } from '../../core/measurements/family.ts'
import type { Monitoring } from '../../core/module/monitoring.ts'
import { hashing } from './measured-queue.ts'

export const monitoring: Monitoring = {
  processMetrics({ measurements }, worker) {
    const { durations, queue, refused, waits } = measurements.of(hashing)
    const { running = 0, waiting = 0, maxWaiting = 0 } = queue?.() ?? {}
    const labels = { worker }
    return [
      histogram(
        'gatehouse_password_hash_duration_seconds',
        'Time to compute the hash of a password, without the wait for its turn.',
        [{ histogram: durations }],
      ),
      histogram('gatehouse_password_hash_wait_seconds', 'Time that a hash waited for its turn.', [
        { histogram: waits },
      ]),
      gauge('gatehouse_password_hashes_running', 'Hashes under way.', [{ value: running, labels }]),
      gauge('gatehouse_password_hashes_waiting', 'Hashes that wait for their turn.', [
        { value: waiting, labels },
      ]),
      gauge(
        'gatehouse_password_hashes_waiting_max',
        'How many hashes may wait; a further one is refused with 503.',
        [{ value: maxWaiting, labels }],
      ),
      total(
        'gatehouse_password_hashes_refused_total',
        'Hashes that were refused because too many waited, or for too long.',
        refused,
      ),
    ]
  },
}
