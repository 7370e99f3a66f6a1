/** How long a program has to fail, in milliseconds. */
const FAILURE_MS = 2000

/**
 * Starts a program that continues when this process ends, with its whole environment, such as the user's browser. Returns
 * false when it does not exist, or fails at once.
 */
export async function startDetached(program: string, args: readonly string[]): Promise<boolean> {
  const { execa } = await import('./execa.ts')
  const running = execa(program, args, { detached: true, cleanup: false, stdio: 'ignore' })
  const isDone = running.then(
    () => true,
    () => false,
  )
  running.unref()
  return Promise.race([isDone, new Promise<boolean>((resolve) => setTimeout(() => resolve(true), FAILURE_MS))])
}
