import { runProgram } from './process.ts'
import { findProgram } from './programs.ts'

/** Creates a user namespace and an empty network namespace, then replaces itself with the program (unshare(1)). */
const ARGUMENTS = ['--user', '--map-current-user', '--net', '--']
const PROBE_MS = 5000

let probed: Promise<string | undefined> | undefined

/**
 * The program that removes network access, if the system allows it: Linux with user namespaces, not in every container.
 */
async function look(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  const program = await findProgram({ environment: 'MEDIAPROC_UNSHARE', names: ['unshare'] })
  if (!program) return undefined
  return runProgram(program.path, [...ARGUMENTS, 'true'], { what: 'unshare', timeoutMs: PROBE_MS }).then(
    () => program.path,
    () => undefined,
  )
}

/** Checks once and caches the result. */
function unsharePath(): Promise<string | undefined> {
  probed ??= look()
  return probed
}

/** Whether programs can run without network access here. */
export const canTakeNetwork = async (): Promise<boolean> => (await unsharePath()) !== undefined

/** Wraps a command to run without network access; returns it unchanged if the system does not support that. */
export async function withoutNetwork(
  program: string,
  args: readonly string[],
): Promise<{ program: string; args: readonly string[] }> {
  const unshare = await unsharePath()
  return unshare === undefined ? { program, args } : { program: unshare, args: [...ARGUMENTS, program, ...args] }
}
