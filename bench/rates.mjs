// How the benchmarks of servers count: requests per second, times, processor time, memory.
import { readdirSync, readFileSync } from 'node:fs'

/** Requests per second of `work`, from several concurrent clients. */
export async function perSecond(work, count, clients) {
  let left = count
  const begun = performance.now()
  const client = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: clients }, client))
  return (count / (performance.now() - begun)) * 1000
}

/** The time of one call. */
export async function milliseconds(work) {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** The processes that a process started, from any of its threads. Linux only. */
export const childrenOf = (pid) =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )

/** Processor time of a process and its children until now, in milliseconds. Linux only, in steps of 10 ms. */
export function processorMs(pid) {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => {
    // The name of the program, in parentheses, may contain spaces.
    const fields = readFileSync(`/proc/${one}/stat`, 'utf8').replace(/.*\) /s, '').split(' ')
    return sum + (Number(fields[11]) + Number(fields[12])) * 10
  }, 0)
}

/** Resident memory of a process, Linux only. */
export const residentMb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
