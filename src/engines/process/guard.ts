import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { builtFile } from '../../root.ts'

/** Compiled, as Node may not read TypeScript; tests use the last build's. */
const GUARD = fileURLToPath(builtFile('src/engines/process/guard-main.js'))

/**
 * The same as guard-main.ts for the shell of POSIX systems, which starts in 1 ms where Node takes 50 ms. It only
 * receives our own PIDs.
 */
const SHELL_GUARD = `
trap '' INT TERM HUP
living=' '
while read -r line; do
  number=\${line#?}
  case $line in
    +*) living="$living$number " ;;
    -*) living="\${living%% $number *} \${living#* $number }" ;;
  esac
done
for number in $living; do kill -KILL "-$number"; done
`

let guard: ChildProcess | undefined
const living = new Set<number>()

function send(sign: '+' | '-', processId: number): void {
  guard!.stdin!.write(`${sign}${processId}\n`)
}

function startGuard(program: string, args: readonly string[], otherwise?: () => void): void {
  const child = spawn(program, args, {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // It needs none of our variables; Windows starts no program without its own.
    ...(process.platform !== 'win32' && { env: {} }),
    cwd: '/',
    windowsHide: true,
  })
  // Without a guard everything works, but for that one case.
  child.on('error', () => otherwise?.())
  child.stdin.on('error', () => {})
  child.unref()
  ;(child.stdin as unknown as { unref(): void }).unref()
  guard = child
  for (const processId of living) send('+', processId)
}

const startInNode = (): void => startGuard(process.execPath, [GUARD])

/**
 * A process killed by SIGKILL (by the OOM killer, say) cannot end its child programs: an encoder would keep
 * running for hours. The guard notices that its standard input was closed. Nothing waits for it, and it ends with
 * this process. On Windows, and without a shell, the guard runs in Node.
 */
function ensureGuard(): void {
  if (guard) return
  if (process.platform === 'win32') startInNode()
  else startGuard('/bin/sh', ['-c', SHELL_GUARD], startInNode)
}

/** Has a program ended when this process is gone; returns the function that ends this care. */
export function guardProgram(processId: number): () => void {
  ensureGuard()
  living.add(processId)
  send('+', processId)
  return () => {
    living.delete(processId)
    send('-', processId)
  }
}
