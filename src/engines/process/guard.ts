import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Compiled, as Node may not read TypeScript; tests use the last build's. */
const IN_BUILD = import.meta.url.endsWith('.ts') ? '../../../dist/src/engines/process/' : './'
const GUARD = fileURLToPath(new URL(`${IN_BUILD}guard-main.js`, import.meta.url))

let guard: ChildProcess | undefined

/**
 * A process killed by SIGKILL (by the system that is out of memory, say) can end nothing that it started: an encoder would
 * work on for hours, for nobody. The guard notices that its standard input is closed. It costs nothing but itself: nobody
 * waits for it, and it ends with us.
 */
function startGuard(): ChildProcess {
  const child = spawn(process.execPath, [GUARD], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Nothing of ours concerns it; Windows starts no program without its own.
    ...(process.platform !== 'win32' && { env: {} }),
    cwd: '/',
    windowsHide: true,
  })
  // Without a guard everything works, but for that one case.
  child.on('error', () => {})
  child.stdin!.on('error', () => {})
  child.unref()
  ;(child.stdin as unknown as { unref(): void }).unref()
  return child
}

/** Has a program ended when this process is gone; returns the function that ends this care. */
export function guardProgram(processId: number): () => void {
  guard ??= startGuard()
  guard.stdin!.write(`+${processId}\n`)
  return () => void guard!.stdin!.write(`-${processId}\n`)
}
