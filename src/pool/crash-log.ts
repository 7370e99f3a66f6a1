/**
 * The crash log of a child process: a pipe to which it writes, synchronously and line by line, its temporary folder,
 * the programs it has started, and that it is about to end itself for exceeding the memory limit. The entries survive
 * SIGKILL, so that the pool can clean up after the process, and distinguish a memory limit from any other SIGKILL.
 */
import { writeSync } from 'node:fs'

/** File descriptor of the pipe in the child; 3 is the message channel. */
export const LEDGER_DESCRIPTOR = 4

function write(line: string): void {
  try {
    writeSync(LEDGER_DESCRIPTOR, `${line}\n`)
  } catch {
    // The pool has exited, so there is no reader.
  }
}

/** Logs the start or end of a program. */
export function noteProgram(processId: number, isAlive: boolean): void {
  write(`${isAlive ? '+' : '-'}${processId}`)
}

/** Logs that this process ends itself for exceeding the memory limit. Callable from any thread. */
export function noteMemory(residentBytes: number): void {
  write(`memory ${residentBytes}`)
}

/** Logs the temporary folder of this process. */
export function noteTemporary(path: string): void {
  write(`folder ${path}`)
}

/** State described by the lines of a crash log. */
export class Ledger {
  /** Process groups of running programs. */
  readonly programs = new Set<number>()
  /** Memory of the process in bytes when it ended itself for exceeding the limit. */
  memory: number | undefined
  /** Its temporary folder. */
  temporary: string | undefined

  read(line: string): void {
    const [, sign, value = ''] = /^([+-]|memory |folder )(.+)$/.exec(line) ?? []
    if (sign === '+') this.programs.add(Number(value))
    else if (sign === '-') this.programs.delete(Number(value))
    else if (sign === 'memory ') this.memory = Number(value)
    else if (sign === 'folder ') this.temporary = value
  }
}
