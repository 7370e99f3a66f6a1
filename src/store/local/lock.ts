import { MediaprocError } from '../../errors.ts'
import { takeLock as takeFolder } from '../../process-lock.ts'

/**
 * Locks a data folder for this process until the returned function is called or the process ends.
 *
 * @throws CONFLICT when another running process holds the lock
 */
export function takeLock(folder: string): Promise<() => Promise<void>> {
  return takeFolder(
    folder,
    (pid) =>
      new MediaprocError('CONFLICT', `The data folder ${folder} is in use by another server (process ${pid})`, {
        hint: 'Stop that one, or name another folder with DATA_DIR.',
      }),
  )
}
