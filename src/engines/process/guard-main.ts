/**
 * The guard, a process of its own: it is told on standard input which programs live (+NUMBER) and are gone (-NUMBER). When
 * that ends, the process that started them is gone, however it died, and the programs that are left are ended.
 */
import { createInterface } from 'node:readline'
import { signalGroup } from './group.ts'

const living = new Set<number>()
// A Ctrl-C at the terminal is for the process that is guarded.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
createInterface({ input: process.stdin })
  .on(
    'line',
    (line) => void (line.startsWith('+') ? living.add(Number(line.slice(1))) : living.delete(Number(line.slice(1)))),
  )
  .on('close', () => {
    for (const processId of living) signalGroup(processId, 'SIGKILL')
    process.exit()
  })
