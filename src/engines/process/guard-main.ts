/**
 * The guard process: its standard input lists programs that started (+PID) and ended (-PID). When standard input
 * closes, the process that started them has died in whatever way, and the guard ends the remaining programs.
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
