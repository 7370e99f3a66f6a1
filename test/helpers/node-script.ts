import { type ChildProcess, spawn } from 'node:child_process'
import { builtFile } from '../../src/root.ts'

/** The address of a module of the last build, for the text of a script. */
export function builtModule(path: string): string {
  return JSON.stringify(builtFile(path).href)
}

/** Starts Node with the text of a module. */
export function startScript(text: string, args: readonly string[] = []): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '-e', text, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** The numbers that a script prints, one per line, until it ends; an incomplete line is not a number. */
export async function numbersOf(child: ChildProcess, onNumber: (count: number) => void): Promise<number[]> {
  let text = ''
  child.stdout!.setEncoding('utf8').on('data', (part: string) => {
    text += part
    onNumber(text.split('\n').length - 1)
  })
  await new Promise((resolve) => child.once('close', resolve))
  return text.split('\n').slice(0, -1).map(Number)
}
