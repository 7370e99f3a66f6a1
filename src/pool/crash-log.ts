/**
 * The ledger of a child process: a pipe on which it notes, at once and in lines, its folder for temporary files, the
 * programs that it has started, and that it is about to end itself because it takes too much memory. What stands there
 * survives its death by SIGKILL, so that the pool can remove and end what it left, and tell a memory limit from any other
 * SIGKILL.
 */
import { writeSync } from 'node:fs'

/** The place of the pipe among the child's descriptors; 3 is the channel of messages. */
export const LEDGER_DESCRIPTOR = 4

function write(line: string): void {
  try {
    writeSync(LEDGER_DESCRIPTOR, `${line}\n`)
  } catch {
    // The pool is gone, and nobody reads any more.
  }
}

/** Notes that a program has started, or is gone. */
export function noteProgram(processId: number, isAlive: boolean): void {
  write(`${isAlive ? '+' : '-'}${processId}`)
}

/** Notes that this process takes too much memory and ends itself. Callable from any thread. */
export function noteMemory(residentBytes: number): void {
  write(`memory ${residentBytes}`)
}

/** Notes the folder for temporary files of this process. */
export function noteTemporary(path: string): void {
  write(`folder ${path}`)
}

/** What the lines of a ledger add up to. */
export class Ledger {
  /** Process groups of programs that run. */
  readonly programs = new Set<number>()
  /** How much memory the process had when it ended itself because of it, in bytes. */
  memory: number | undefined
  /** Its folder for temporary files. */
  temporary: string | undefined

  read(line: string): void {
    const [, sign, value = ''] = /^([+-]|memory |folder )(.+)$/.exec(line) ?? []
    if (sign === '+') this.programs.add(Number(value))
    else if (sign === '-') this.programs.delete(Number(value))
    else if (sign === 'memory ') this.memory = Number(value)
    else if (sign === 'folder ') this.temporary = value
  }
}
