import type { MediaFile } from '../media/file.ts'
import { verifyStructure } from '../media/verify/verify.ts'
import type { OutputFile } from '../tool/contract.ts'

/**
 * The common check of all outputs of a job, before they are renamed into place: an incomplete file fails the job.
 * Properties that only the producer of a file knows (frames, pages, streams) are checked when it is written.
 * @throws MediaprocError DISK_FULL, PROCESSING_FAILED
 */
export function verifyOutputs(files: readonly OutputFile[], inputs: readonly MediaFile[]): void {
  for (const { path, name, isVerbatim } of files) if (!isVerbatim) verifyStructure(path, name, inputs)
}
