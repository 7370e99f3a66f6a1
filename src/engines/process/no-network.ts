import { runProgram } from './process.ts'
import { findProgram } from './programs.ts'

/** A user, a namespace of networks with nothing in it, and then the program in the place of this one (unshare(1)). */
const ARGUMENTS = ['--user', '--map-current-user', '--net', '--']
const PROBE_MS = 5000

let probed: Promise<string | undefined> | undefined

/** The program that takes the network away, where the system lets it: Linux with user namespaces, not every container. */
async function look(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  const program = await findProgram({ environment: 'MEDIAPROC_UNSHARE', names: ['unshare'] })
  if (!program) return undefined
  return runProgram(program.path, [...ARGUMENTS, 'true'], { what: 'unshare', timeoutMs: PROBE_MS }).then(
    () => program.path,
    () => undefined,
  )
}

/** Looks once. */
function unsharePath(): Promise<string | undefined> {
  probed ??= look()
  return probed
}

/** Whether programs can be run without a network here. */
export const canTakeNetwork = async (): Promise<boolean> => (await unsharePath()) !== undefined

/** The command wrapped to run without a network; unchanged where the system does not support that. */
export async function withoutNetwork(
  program: string,
  args: readonly string[],
): Promise<{ program: string; args: readonly string[] }> {
  const unshare = await unsharePath()
  return unshare === undefined ? { program, args } : { program: unshare, args: [...ARGUMENTS, program, ...args] }
}
