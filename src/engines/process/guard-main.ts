/**
 * The guard, a separate process: reads from standard input which programs run (+NUMBER) and have ended (-NUMBER). When
 * the input closes, the process that started them is gone, however it died, and the guard ends the remaining programs.
 */
import { createInterface } from 'node:readline'
import { signalGroup } from './group.ts'

const living = new Set<number>()
// Ctrl-C in the terminal is for the guarded process.
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
